import { expect, it } from 'vitest';
import { inspect } from './inspect.ts';
import type { Rule, Verdict } from './rule.ts';
import { treeOf } from './tree.ts';

const rule = (verdict: Verdict): Rule => ({
  name: 'one',
  unit: 'things',
  lookedMin: 2,
  check: () => verdict,
});
const tree = treeOf({ 'a.ts': '' });

it('passes a rule that looked and found nothing, and says at how much', () => {
  expect(inspect(tree, [rule({ looked: 2, findings: [] })])).toEqual({
    passed: true,
    lines: ['tidy: 1 rules, 0 faults in 1 files (one 2 things)'],
  });
});

it('fails a rule that looked at too little', () => {
  const { passed, lines } = inspect(tree, [rule({ looked: 1, findings: [] })]);
  expect(passed).toBe(false);
  expect(lines[0]).toContain('one looked at 1 things, fewer than 2');
});

it('fails on a finding and not on a note', () => {
  const finding = { path: 'a.ts', line: 7, wrong: 'is wrong' };
  expect(inspect(tree, [rule({ looked: 2, findings: [finding] })])).toMatchObject({ passed: false });
  const { passed, lines } = inspect(tree, [rule({ looked: 2, findings: [], notes: [finding] })]);
  expect([passed, lines[0]]).toEqual([true, 'a.ts:7: is wrong (not yet an error)']);
});
