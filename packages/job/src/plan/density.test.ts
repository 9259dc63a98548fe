import fc from 'fast-check';
import { expect, test } from 'vitest';
import { density } from './density.ts';
import type { Graph } from './graph.ts';

const ones = (graph: Graph): number[] => graph.map(() => 1);
const unweighted = (graph: Graph): number => density(graph, ones(graph));

test('a chain has density 1, and so has anything of fewer than two tasks', () => {
  expect(unweighted([[], [0], [1], [2]])).toBe(1);
  expect(unweighted([[]])).toBe(1);
  expect(unweighted([])).toBe(1);
});

test('tasks that wait for nothing have density 0', () => {
  expect(unweighted([[], [], [], []])).toBe(0);
});

test('a diamond has five comparable pairs of six', () => {
  expect(unweighted([[], [0], [0], [1, 2]])).toBeCloseTo(5 / 6, 12);
});

test('it does not matter in which order the tasks are written', () => {
  expect(unweighted([[1, 2], [3], [3], []])).toBeCloseTo(5 / 6, 12);
});

test('a for_each counts as that many tasks side by side', () => {
  // One before, three side by side, one after: 1·3 + 3·1 + 1·1 of 5·4/2 pairs.
  expect(density([[], [0], [1]], [1, 3, 1])).toBeCloseTo(7 / 10, 12);
  expect(density([[]], [8])).toBe(0);
});

/** Every pair looked at: is one of them reached from the other? */
const byEveryPair = (graph: Graph, weights: readonly number[]): number => {
  const copies = graph.flatMap((_, task) => Array.from({ length: weights[task] ?? 0 }, () => task));
  const before = (a: number, b: number): boolean =>
    (graph[b] ?? []).some((dep) => dep === a || before(a, dep));
  let [comparable, pairs] = [0, 0];
  copies.forEach((a, at) => {
    for (const b of copies.slice(at + 1)) {
      pairs += 1;
      if (before(a, b) || before(b, a)) comparable += 1;
    }
  });
  return pairs === 0 ? 1 : comparable / pairs;
};

/** Each task waits for some of those before it, and is then put at a random place. */
const dags = fc
  .array(fc.record({ mask: fc.nat(2 ** 12 - 1), weight: fc.integer({ min: 1, max: 5 }), place: fc.nat() }), {
    maxLength: 11,
  })
  .map((tasks) => {
    const places = tasks
      .map((_, task) => task)
      .toSorted((a, b) => (tasks[a]?.place ?? 0) - (tasks[b]?.place ?? 0));
    const graph: number[][] = tasks.map(() => []);
    const weights: number[] = tasks.map(() => 1);
    tasks.forEach(({ mask, weight }, at) => {
      const task = places.indexOf(at);
      weights[task] = weight;
      for (let dep = 0; dep < at; dep++) if ((mask >> dep) & 1) graph[task]?.push(places.indexOf(dep));
    });
    return { graph, weights };
  });

test('it equals what counting every pair gives, on any graph with any weights', () => {
  fc.assert(
    fc.property(dags, ({ graph, weights }) => {
      expect(density(graph, weights)).toBeCloseTo(byEveryPair(graph, weights), 12);
      expect(unweighted(graph)).toBeCloseTo(byEveryPair(graph, ones(graph)), 12);
    }),
    { numRuns: 300, seed: 7 },
  );
});

test('sets of more than one word of bits are counted whole', () => {
  const chain = Array.from({ length: 100 }, (_, task) => (task === 0 ? [] : [task - 1]));
  expect(unweighted(chain)).toBe(1);
  const fan = Array.from({ length: 100 }, (_, task) => (task === 0 ? [] : [0]));
  expect(unweighted(fan)).toBeCloseTo(99 / 4950, 12);
});
