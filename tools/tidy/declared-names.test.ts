import { expect, it } from 'vitest';
import { declaredNames } from './declared-names.ts';
import { findingsOf } from './fixture.ts';

const inFile = (text: string): string[] => findingsOf(declaredNames, { 'packages/mid/src/a.ts': text });

it.each([
  'const ctx = 1;',
  'const f = (opts: number) => opts;',
  'function f({ a: msg }: A) {}',
  'const [first, ...msgs] = [], parseMsg = 1;',
  'type Opts = number;',
  'interface A { readonly ctx: number }',
  'class JobHelper {}',
  'const common = 1;',
])('refuses %s', (text) => {
  expect(inFile(text)).toEqual([expect.stringMatching(/^packages\/mid\/src\/a\.ts:1: .* says nothing/)]);
});

it.each([
  'const commonPrefix = 1;',
  "const context = { msg: 'a key that somebody else named' };",
  'const utilisation = 1;',
])('lets %s pass', (text) => {
  expect(inFile(text)).toEqual([]);
});
