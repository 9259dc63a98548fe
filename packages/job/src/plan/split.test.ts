import { expect, test } from 'vitest';
import { jobLimits } from '../job-limits.ts';
import { decideSplit } from './split.ts';

const independent = (count: number, cost: number) => ({
  graph: Array.from({ length: count }, () => []),
  costs: Array.from({ length: count }, () => cost),
  weights: Array.from({ length: count }, () => 1),
});

const chain = (count: number, cost: number) => ({
  ...independent(count, cost),
  graph: Array.from({ length: count }, (_, task) => (task === 0 ? [] : [task - 1])),
});

test('a chain is not split: its density is at the threshold', () => {
  const decision = decideSplit(chain(5, 10_000), 8, 'auto');
  expect(decision).toMatchObject({ split: false, density: 1, threshold: 0.9, workers: 8 });
  expect(decision.predicted_ms).toBe(decision.alone_ms);
  expect(decision.reason).toContain('density 1 is at or above 0.9');
});

test('independent tasks of 200 ms are split, and the numbers say why', () => {
  const decision = decideSplit(independent(10, 200), 4, 'auto');
  expect(decision).toMatchObject({ split: true, density: 0, alone_ms: 2000 + jobLimits.hopMs });
  expect(decision.predicted_ms).toBe(3 * (200 + jobLimits.hopMs));
  expect(decision.reason).toContain('4 slots');
});

test('small independent tasks on one slot are not split: the hops cost more than they bring', () => {
  const decision = decideSplit(independent(10, 1), 1, 'auto');
  expect(decision).toMatchObject({ split: false, density: 0, predicted_ms: 10 + jobLimits.hopMs });
  expect(decision.reason).toContain('one worker alone takes');
});

test('what the job says is done, and its numbers are kept all the same', () => {
  expect(decideSplit(chain(5, 10), 8, 'always')).toMatchObject({ split: true, density: 1 });
  expect(decideSplit(independent(10, 200), 4, 'never')).toMatchObject({ split: false, density: 0 });
});

test('the same load is decided the same way again', () => {
  expect(decideSplit(independent(7, 33.333), 3, 'auto')).toEqual(
    decideSplit(independent(7, 33.333), 3, 'auto'),
  );
});
