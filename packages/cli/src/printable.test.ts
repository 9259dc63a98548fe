import { expect, it } from 'vitest';
import { printable, shownOn } from './printable.ts';

it.each([
  ['\u001b[2Jgone', '\\u001b[2Jgone'],
  ['\u009b31m \u007f \u0000', '\\u009b31m \\u007f \\u0000'],
  ['forged\rline', 'forged\\u000dline'],
  ['\u202egnp.exe\u2066', '\\u202egnp.exe\\u2066'],
  ['one\r\n\ttwo\nthree', 'one\r\n\ttwo\nthree'],
  ['Größe ✓ 日本 👩‍🚀', 'Größe ✓ 日本 👩‍🚀'],
])('shows %j as %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

it('leaves a document of JSON what it says', () => {
  const value = { label: '\u001b]52;c;bGE=\u0007 \u009b2J \u202e', lines: 'one\ntwo' };
  const shown = printable(JSON.stringify(value, null, 2));
  expect(shown).not.toMatch(/[^\P{Cc}\n]/u);
  expect(JSON.parse(shown)).toEqual(value);
});

it('is for terminals alone: anything else gets the bytes as they are', () => {
  const text = 'a\u001b[2Jb';
  expect(shownOn({ isTTY: true }, text)).toBe('a\\u001b[2Jb');
  for (const pipe of [{}, { isTTY: false }]) expect(shownOn(pipe, text)).toBe(text);
});
