import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameMatches } from './name-glob.ts';

describe('nameMatches', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', '.ts', true],
    ['*.ts', 'a.tsx', false],
    ['LICEN*', 'LICENSE', true],
    ['LICEN*', 'LICENCE.md', true],
    ['LICEN*', 'license', false],
    ['LICEN?E*', 'LICENSE-MIT', true],
    ['a?c', 'ac', false],
    ['*', '', true],
    ['**', 'anything', true],
    ['', '', true],
    ['', 'a', false],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b', 'xxbxxa', false],
    ['[ab].ts', 'a.ts', false],
    ['[ab].ts', '[ab].ts', true],
    ['a.b', 'axb', false],
    ['*.min.*', 'x.min.js', true],
  ])('%s and %s: %s', (pattern, name, expected) => {
    expect(nameMatches(pattern, name)).toBe(expected);
  });

  it('decides like a regular expression', async () => {
    const piece = fc.constantFrom('a', 'b', '*', '?', '.');
    const word = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.property(word, word, (pattern, name) => {
        const expression = pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
        expect(nameMatches(pattern, name)).toBe(new RegExp(`^${expression}$`, 's').test(name));
      }),
    );
  });

  it('is not slowed down by a pattern that would be a regular expression from hell', () => {
    expect(nameMatches(`${'*a'.repeat(100)}b`, 'a'.repeat(255))).toBe(false);
  });
});
