import { expect, test } from 'vitest';
import { cycleIn, dependentsOf, topological } from './graph.ts';

test('every task comes after those it waits for', () => {
  // 3 waits for 1 and 2, which wait for 0.
  expect(topological([[], [0], [0], [1, 2]])).toEqual({ order: [0, 1, 2, 3], stuck: [] });
  expect(topological([[1], [2], []])).toEqual({ order: [2, 1, 0], stuck: [] });
});

test('what lies on a cycle or behind one is stuck, all else is in order', () => {
  expect(topological([[], [2], [1], [2], [0]])).toEqual({ order: [0, 4], stuck: [1, 2, 3] });
});

test('a cycle is named from where each waits for the next, without what only leads there', () => {
  const graph = [[1], [2], [3], [1]];
  expect(cycleIn(graph, topological(graph).stuck)).toEqual([1, 2, 3]);
  expect(cycleIn([[0]], [0])).toEqual([0]);
  expect(cycleIn([[], [0]], [])).toEqual([]);
});

test('who waits for a task is the graph turned round', () => {
  expect(dependentsOf([[], [0], [0, 1]])).toEqual([[1, 2], [2], []]);
});
