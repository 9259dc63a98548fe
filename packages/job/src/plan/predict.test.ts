import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jobLimits } from '../job-limits.ts';
import { aloneMs, type Load, splitMs } from './predict.ts';

const { hopMs } = jobLimits;

const load = (graph: number[][], costs: number[], weights = graph.map(() => 1)): Load => ({
  graph,
  costs,
  weights,
});

test('one worker does everything one after the other, and pays one hop', () => {
  expect(aloneMs(load([[], [0], []], [10, 20, 30]))).toBe(60 + hopMs);
  expect(aloneMs(load([[]], [10], [4]))).toBe(40 + hopMs);
});

test('independent tasks share the slots there are', () => {
  const four = load([[], [], [], []], [100, 100, 100, 100]);
  expect(splitMs(four, 4)).toBe(100 + hopMs);
  expect(splitMs(four, 2)).toBe(2 * (100 + hopMs));
  expect(splitMs(four, 1)).toBe(4 * (100 + hopMs));
});

test('a chain gains nothing from slots, and pays a hop for each link', () => {
  expect(splitMs(load([[], [0], [1]], [10, 10, 10]), 8)).toBe(3 * (10 + hopMs));
});

test('a merge begins when the last of what it waits for ends', () => {
  expect(splitMs(load([[], [], [0, 1]], [10, 70, 5]), 8)).toBe(70 + 5 + 2 * hopMs);
});

test('a for_each takes as many slots as it is wide, and what waits for it waits for all of it', () => {
  expect(splitMs(load([[], [0]], [10, 1], [4, 1]), 2)).toBe(2 * (10 + hopMs) + 1 + hopMs);
});

test('with no worker free it is predicted as if there were one', () => {
  expect(splitMs(load([[], []], [10, 10]), 0)).toBe(2 * (10 + hopMs));
});

const loads = fc
  .array(
    fc.record({ mask: fc.nat(2 ** 14 - 1), cost: fc.nat(500), weight: fc.integer({ min: 1, max: 4 }) }),
    {
      minLength: 1,
      maxLength: 14,
    },
  )
  .map((tasks) =>
    load(
      tasks.map(({ mask }, task) =>
        Array.from({ length: task }, (_, dep) => dep).filter((dep) => (mask >> dep) & 1),
      ),
      tasks.map(({ cost }) => cost),
      tasks.map(({ weight }) => weight),
    ),
  );

const criticalPath = ({ graph, costs }: Load): number => {
  const ends: number[] = [];
  graph.forEach((deps, task) => {
    ends.push(Math.max(0, ...deps.map((dep) => ends[dep] ?? 0)) + (costs[task] ?? 0) + hopMs);
  });
  return Math.max(...ends);
};

test('it is never below the critical path, nor above everything in a row with a hop for each', () => {
  fc.assert(
    fc.property(loads, fc.integer({ min: 1, max: 12 }), (one, workers) => {
      const hops = one.weights.reduce((sum, weight) => sum + weight, 0) - 1;
      expect(splitMs(one, workers)).toBeGreaterThanOrEqual(criticalPath(one));
      expect(splitMs(one, workers)).toBeLessThanOrEqual(aloneMs(one) + hops * hopMs);
    }),
    { numRuns: 500, seed: 11 },
  );
});

test('more workers never make it more than twice as long, and enough of them reach the critical path', () => {
  fc.assert(
    fc.property(loads, fc.integer({ min: 1, max: 8 }), (one, workers) => {
      // Greedy list scheduling may lose by one more slot, but stays below twice the best.
      expect(splitMs(one, workers + 1)).toBeLessThanOrEqual(2 * splitMs(one, workers));
      expect(splitMs(one, 100)).toBe(criticalPath(one));
    }),
    { numRuns: 500, seed: 12 },
  );
});

test('free slots go to the lowest ordinal first, so that a plan is predicted one way', () => {
  // 30 beside 10 and then 20; with 10 and 20 first the 30 would end last.
  expect(splitMs(load([[], [], [], [0, 1, 2]], [30, 10, 20, 5]), 2)).toBe(30 + 5 + 3 * hopMs);
});
