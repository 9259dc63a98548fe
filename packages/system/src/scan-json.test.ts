import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanJson } from './scan-json.ts';

const pathsIn = (text: string): string[] => {
  const found: string[] = [];
  scanJson(text, 64, (path, offset) => void found.push(`${path.join('.')}@${offset}`));
  return found;
};

/** Every path of a value in the order of its text. */
const pathsOf = (value: unknown, path: readonly string[] = []): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = [...path, name];
    return [JSON.stringify(here), ...pathsOf(inner, here)];
  });
};

describe('scanJson', () => {
  it('tells of fields at their name and of elements at their start', () => {
    const text = '{"a": [1, {"b": true}, [], "x,]"], "c\\"": {}}';
    expect(pathsIn(text)).toEqual(['a@1', 'a.0@7', 'a.1@10', 'a.1.b@11', 'a.2@23', 'a.3@27', 'c"@35']);
  });

  it('finds a name that stands twice in one object, also behind an escape', () => {
    expect(scanJson('{"a":1,"b":{"a":2},"\\u0061":3}', 64)).toEqual([
      { offset: 19, message: 'the name "a" stands twice' },
    ]);
    expect(scanJson('[{"a":1},{"a":2}]', 64)).toEqual([]);
    expect(scanJson('{"__proto__":1,"constructor":2}', 64)).toEqual([]);
  });

  it('finds what is nested too deep, once', () => {
    expect(scanJson('[[[]]]', 3)).toEqual([]);
    expect(scanJson('[[[[[]]]]]', 3)).toEqual([{ offset: 3, message: 'nested deeper than 3' }]);
  });

  it('finds a whole number that would come out as another one', () => {
    const message = '9007199254740993 is a whole number that would be rounded; write it in quotes';
    expect(scanJson('{"n":9007199254740993}', 64)).toEqual([{ offset: 5, message }]);
    for (const rounded of ['-9007199254740993', '12345678901234567890', `1${'0'.repeat(30)}1`])
      expect([rounded, scanJson(rounded, 64).length]).toEqual([rounded, 1]);
    for (const kept of [
      '9007199254740992',
      '-47835803562732010',
      `1${'0'.repeat(30)}`,
      '9007199254740993.0',
      '"9007199254740993"',
    ])
      expect([kept, scanJson(kept, 64)]).toEqual([kept, []]);
  });

  it('sees in any JSON what JSON.parse sees', async () => {
    await fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 2), (json, indent) => {
        const value: unknown = JSON.parse(json);
        const seen: string[] = [];
        const spots = scanJson(
          JSON.stringify(value, null, indent),
          64,
          (path) => void seen.push(JSON.stringify(path.map(String))),
        );
        expect(seen).toEqual(pathsOf(value));
        expect(spots).toEqual([]);
      }),
    );
  });
});
