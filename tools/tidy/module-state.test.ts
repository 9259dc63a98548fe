import { expect, it } from 'vitest';
import { findingsOf } from './fixture.ts';
import { moduleState } from './module-state.ts';

it('refuses a `let` of a module and lets one of a function pass', () => {
  const text =
    'const a = 1;\nlet b = 2;\nexport let c = 3;\nexport const f = () => { let d = 4; return d; };';
  expect(findingsOf(moduleState, { 'packages/mid/src/a.ts': text })).toEqual([
    expect.stringContaining('packages/mid/src/a.ts:2: '),
    expect.stringContaining('packages/mid/src/a.ts:3: '),
  ]);
});
