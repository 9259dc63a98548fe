import { expect, it } from 'vitest';
import { coverageLines, rarelyMet, totalLines } from './report.ts';
import { addTotal, nothingYet, type Total } from './run-seeds.ts';

const total: Total = {
  ...nothingYet(),
  seeds: 5_000,
  steps: 12,
  faults: 3,
  coverage: new Map([['fault delay', 50]]),
};

it('says last how much was played and how much of it was wrong', () => {
  expect(totalLines({ ...total, violations: 2 }).at(-1)).toBe('seeds 5000, steps 12, faults 3, violations 2');
});

it('names what a run has met less often than its length asks for, and what it never met', () => {
  expect(rarelyMet(total, ['fault delay', 'fault slow'])).toEqual(['fault slow']);
  expect(coverageLines(total, ['fault slow'])).toEqual(['  fault slow: 0', '  fault delay: 50']);
});

it('adds up what several threads have come to', () => {
  const both = nothingYet();
  for (const more of [total, total]) addTotal(both, more);
  expect([both.seeds, both.steps, both.coverage.get('fault delay')]).toEqual([10_000, 24, 100]);
});
