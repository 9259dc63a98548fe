import { expect, it } from 'vitest';
import { fileLength } from './file-length.ts';
import { treeOf } from './tree.ts';

const verdictOf = (lines: number) =>
  fileLength.check(treeOf({ 'packages/mid/src/a.ts': '//\n'.repeat(lines) }));

it('says nothing about 300 lines, names 301, and fails 401', () => {
  expect(verdictOf(300)).toEqual({ looked: 1, findings: [], notes: [] });
  expect(verdictOf(301)).toMatchObject({ findings: [], notes: [{ line: 301 }] });
  expect(verdictOf(401)).toMatchObject({ findings: [{ line: 401 }], notes: [] });
});
