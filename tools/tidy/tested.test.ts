import { expect, it } from 'vitest';
import { findingsOf } from './fixture.ts';
import { tested } from './tested.ts';

const deciding =
  'export const f = (a: number) => { if (a) return 1; if (a > 2) return 2; return a ? 3 : 4; };';
const deciders = {
  'packages/mid/src/index.ts': "export { f } from './f.ts';\nexport { g } from './g.ts';",
  'packages/mid/src/f.ts': deciding,
  'packages/mid/src/g.ts': '',
};

it('names a file that decides and that no test reaches', () => {
  expect(findingsOf(tested, deciders)).toEqual([
    expect.stringContaining('packages/mid/src/f.ts:1: 3 branches'),
  ]);
});

it.each([
  ['a test beside it', { 'packages/mid/src/f.test.ts': "import { f } from './f.ts';" }],
  [
    'a test of what is built on it',
    {
      'packages/mid/src/h.ts': "import { f } from './f.ts';",
      'packages/mid/src/h.test.ts': "import { h } from './h.ts';",
    },
  ],
  ['a contract that takes it by name', { 'test/contracts/f.test.ts': "import { f } from '@x/mid';" }],
])('is content with %s', (_, files) => {
  expect(findingsOf(tested, { ...deciders, ...files })).toEqual([]);
});

it.each([
  ['through a door for something else', { 'test/contracts/g.test.ts': "import { g } from '@x/mid';" }],
  ['through its own door', { 'packages/mid/src/g.test.ts': "import { g } from './index.ts';" }],
  [
    'on behalf of another package',
    {
      'services/top/src/t.test.ts': "import './t.ts';",
      'services/top/src/t.ts': "import { f } from '@x/mid';",
    },
  ],
])('does not count a file loaded %s', (_, files) => {
  expect(findingsOf(tested, { ...deciders, ...files })).toHaveLength(1);
});

it('leaves alone what decides little, and what only tests use', () => {
  const files = {
    'packages/mid/src/f.ts': 'export const f = (a: number) => (a ? 1 : 2);',
    'packages/mid/src/testing/play.ts': deciding,
  };
  expect(findingsOf(tested, files)).toEqual([]);
});
