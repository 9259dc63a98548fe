import { describe, expect, it } from 'vitest';
import { idempotencyKey } from './idempotency-key.ts';
import { origin } from './testing/test-api.ts';

/** What is read of a request with these lines of the header. */
const read = (...lines: readonly string[]): ReturnType<typeof idempotencyKey> => {
  const headers = new Headers();
  for (const line of lines) headers.append('idempotency-key', line);
  return idempotencyKey(new Request(origin, { headers }));
};

describe('the key of a request', () => {
  it('is a quoted string, or bare, and the same text is the same key', () => {
    for (const [line, key] of [
      ['k-1', 'k-1'],
      ['"k-1"', 'k-1'],
      ['  k-1  ', 'k-1'],
      ['"a\\"b\\\\c"', 'a"b\\c'],
      ['"a, b"', 'a, b'],
      ['" a"', ' a'],
      ['a b', 'a b'],
      ['a"b', 'a"b'],
      ['x'.repeat(255), 'x'.repeat(255)],
      [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
    ] as const)
      expect([line, read(line)]).toEqual([line, { key }]);
    expect(read()).toEqual({ key: undefined });
  });

  it('is refused where it could be read in two ways, or is none', () => {
    for (const line of [
      '',
      '""',
      '"',
      '"open',
      '"a"b',
      '"a";p=1',
      '"a\\b"',
      '"a", "b"',
      'a, b',
      'a,b',
      'a\tb',
      'é',
      'x'.repeat(256),
      `"${'x'.repeat(256)}"`,
    ])
      expect([line, read(line)]).toEqual([line, { wrong: expect.any(String) }]);
  });

  it('stands there once: twice the same is no key either', () => {
    for (const lines of [
      ['a', 'b'],
      ['a', 'a'],
      ['"a"', '"a"'],
      ['a', ''],
    ])
      expect([lines, read(...lines)]).toEqual([lines, { wrong: expect.any(String) }]);
  });
});
