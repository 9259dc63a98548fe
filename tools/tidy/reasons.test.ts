import { expect, it } from 'vitest';
import { findingsOf } from './fixture.ts';
import { reasons } from './reasons.ts';

const inFile = (text: string, path = 'packages/mid/src/a.ts'): string[] =>
  findingsOf(reasons, { [path]: text });

it('asks a type assertion for its reason', () => {
  expect(inFile('const a = 1;\nconst b = a as number;')).toEqual([
    'packages/mid/src/a.ts:2: a type assertion without a reason; say why in a comment on its line',
  ]);
});

it.each([
  "const a = 'a' as const;",
  'const b = a as number; // The table was checked by its schema.',
  '// The table was checked by its schema.\nconst b = a as number;',
  "import { a as b } from '@x/low';",
])('lets %s pass', (text) => {
  expect(inFile(text)).toEqual([]);
});

it.each(['it.skip', 'describe.todo', 'test.skipIf(true)'])('asks %s for its reason, in tests', (call) => {
  const path = 'packages/mid/src/a.test.ts';
  expect(inFile(`${call}('x', () => {});`, path)).toEqual([expect.stringContaining('without a reason')]);
  expect(inFile(`// The server is not on this machine.\n${call}('x', () => {});`, path)).toEqual([]);
});
