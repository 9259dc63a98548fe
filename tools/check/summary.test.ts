import { expect, it } from 'vitest';
import { closingLines, exitCodeOf } from './summary.ts';

it('ends in the counts alone, after what was skipped', () => {
  const summary = { passed: 3, failed: [{ file: 'a.test.ts' }], skipped: ['one (no server)', 'two'] };
  expect(closingLines(summary)).toEqual(['skipped: one (no server); two', '3 passed, 1 failed']);
  expect(closingLines({ passed: 3, failed: [], skipped: [] })).toEqual([
    'skipped: none',
    '3 passed, 0 failed',
  ]);
});

it('is bad where something failed or nothing passed', () => {
  expect(exitCodeOf({ passed: 1, failed: [], skipped: [] })).toBe(0);
  expect(exitCodeOf({ passed: 1, failed: [{ file: 'a.test.ts' }], skipped: [] })).toBe(1);
  expect(exitCodeOf({ passed: 0, failed: [], skipped: [] })).toBe(1);
});
