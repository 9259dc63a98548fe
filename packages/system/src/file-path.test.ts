import { describe, expect, it } from 'vitest';
import { isWithin, partsOf, shownPath } from './file-path.ts';

const parts = (path: string) => {
  const found = partsOf(path);
  return found.ok ? found.value : found.fault;
};

describe('partsOf', () => {
  it.each([
    ['a/b.txt', ['a', 'b.txt']],
    ['./a//b/', ['a', 'b']],
    ['.', []],
    ['', []],
    ['...', ['...']],
    ['a/..b/c..', ['a', '..b', 'c..']],
  ])('%s is %j', (path, expected) => {
    expect(parts(path)).toEqual(expected);
  });

  it.each([
    '%2e%2e/secret',
    '..%2fsecret',
    '%2e%2e%2fsecret',
    '..%c0%afsecret',
    '..\u2215secret',
    '\uFF0E\uFF0E/secret',
  ])('%s is decoded by nobody: it is a name', (path) => {
    expect(parts(path)).toEqual(path.split('/'));
  });

  it.each([
    ['..', /leads out/],
    ['../secret', /leads out/],
    ['a/../b', /leads out/],
    ['a/b/..', /leads out/],
    ['/etc/passwd', /absolute/],
    ['a\0.txt', /NUL/],
    ['x'.repeat(256), /more than 255 bytes/],
    ['é'.repeat(128), /more than 255 bytes/],
    ['a/'.repeat(3_000), /6000 bytes/],
    ['a/'.repeat(65), /deeper than 64/],
  ])('%j is refused', (path, why) => {
    expect(parts(path)).toMatchObject({ kind: 'refused', detail: expect.stringMatching(why) });
  });
});

describe('isWithin', () => {
  it('is not deceived by a sibling that begins alike', () => {
    expect(isWithin('/ws', '/ws')).toBe(true);
    expect(isWithin('/ws', '/ws/a')).toBe(true);
    expect(isWithin('/ws', '/ws-evil')).toBe(false);
    expect(isWithin('/ws', '/ws-evil/a')).toBe(false);
    expect(isWithin('/ws', '/')).toBe(false);
    expect(isWithin('/', '/etc')).toBe(true);
  });
});

describe('shownPath', () => {
  it('keeps a message on one line and short', () => {
    expect(shownPath('a\nb\0c')).toBe('a?b?c');
    expect(shownPath('')).toBe('.');
    expect(Buffer.byteLength(shownPath('x'.repeat(10_000)))).toBeLessThanOrEqual(256);
  });
});
