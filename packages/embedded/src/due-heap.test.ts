import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Due, dueHeap } from './due-heap.ts';

const moves = fc.array(
  fc.oneof(
    fc.record({ move: fc.constant('push' as const), at: fc.integer({ min: 0, max: 20 }) }),
    fc.record({ move: fc.constant('remove' as const), which: fc.nat() }),
    fc.record({ move: fc.constant('pop' as const) }),
  ),
  { maxLength: 200 },
);

it('gives what a sorted list would give, ties in the order of their coming', () =>
  fc.assert(
    fc.property(moves, (history) => {
      const heap = dueHeap<number>();
      let list: Due<number>[] = [];
      for (const [serial, step] of history.entries()) {
        if (step.move === 'push') list.push(heap.push(step.at, serial));
        list.sort((one, other) => one.at - other.at || one.value - other.value);
        const chosen = step.move === 'remove' ? list[step.which % (list.length || 1)] : list[0];
        if (step.move === 'remove' && chosen) heap.remove(chosen);
        if (step.move === 'pop') expect(heap.popDue(Number.POSITIVE_INFINITY)).toBe(chosen?.value);
        if (step.move !== 'push') list = list.filter((due) => due !== chosen);
        expect(heap.peek()?.value).toBe(list[0]?.value);
        expect(heap.size()).toBe(list.length);
      }
    }),
  ));

it('pops only what is due, and takes out nothing twice', () => {
  const heap = dueHeap<string>();
  const late = heap.push(20, 'late');
  heap.push(10, 'early');
  expect(heap.popDue(9)).toBeUndefined();
  expect(heap.popDue(10)).toBe('early');
  expect(heap.popDue(10)).toBeUndefined();
  heap.remove(late);
  heap.remove(late);
  expect(heap.size()).toBe(0);
});
