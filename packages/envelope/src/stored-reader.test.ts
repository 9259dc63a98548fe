import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { StoredDefect } from './invariant.ts';
import { liftsBy, storedReader } from './stored-reader.ts';

const Shelf = z.strictObject({ kind: z.literal('shelf'), v: z.literal(3), books: z.array(z.string()) });

/** First a book, then a list of them, then a list of their names in capitals. */
const read = storedReader(
  'a thing',
  Shelf,
  liftsBy({
    shelf: [
      (older) => ({ kind: 'shelf', v: 2, books: [(older as { book: string }).book] }), // what version 1 was
      (older) => {
        const { books } = older as { books: string[] }; // what version 2 was
        return { kind: 'shelf', v: 3, books: books.map((book) => book.toUpperCase()) };
      },
    ],
  }),
);

describe('what we have stored', () => {
  it('in an older version is lifted step by step, and checked as the newest', () => {
    expect(read({ kind: 'shelf', v: 1, book: 'a' })).toEqual({ kind: 'shelf', v: 3, books: ['A'] });
    expect(read({ kind: 'shelf', v: 2, books: ['a'] })).toEqual({ kind: 'shelf', v: 3, books: ['A'] });
    expect(read({ kind: 'shelf', v: 3, books: ['a'] })).toEqual({ kind: 'shelf', v: 3, books: ['a'] });
    expect(() => read({ kind: 'shelf', v: 2, books: [], more: 1 })).not.toThrow();
    expect(() => read({ kind: 'shelf', v: 3, books: [], more: 1 })).toThrow(StoredDefect);
  });

  it('by a newer build is a defect of this one, which says by how much', () => {
    expect(() => read({ kind: 'shelf', v: 4, books: [] })).toThrow(
      'M8: a thing: v: version 4 is newer than 3, which this build reads',
    );
    expect(() => read({ kind: 'constructor', v: 2 })).toThrow(/^M8: .*version 2 is newer than 1/);
  });

  it('and is no such thing at all is a defect too', () => {
    for (const stored of [null, undefined, 'shelf', 7, [], {}, { kind: 'shelf' }, { kind: 'shelf', v: 0 }])
      expect(() => read(stored), JSON.stringify(stored)).toThrow(StoredDefect);
    expect(() => read({ kind: 'shelf', v: 'one', books: [] })).toThrow(/^M8: .*v: /);
  });
});
