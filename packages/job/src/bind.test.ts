import type { Json } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { bindAll, gapsOf, itemOf, sourceLength } from './bind.ts';
import type { JobState } from './state.ts';
import { failed } from './testing/envelopes.ts';
import { play } from './testing/play.ts';
import { look, spec, task } from './testing/specs.ts';

/** Ordinals: list 0, each 1, sum 2, over 3; children of each 4 to 6, of over 7 to 9. */
const played = play(
  spec(
    [
      task('list'),
      task('each', { for_each: look('tasks.list.output.all'), input: look('item'), on_failure: 'skip' }),
      task('sum', { input: look('tasks.each.output') }),
      task('over', { for_each: look('tasks.each.output'), batch: 2 }),
    ],
    { inputs: { root: '.', deep: { a: [1] } } },
  ),
  ({ task: id, input }) => {
    if (id === 'each~1') return { outcome: failed('invalid', 'x'.repeat(1_000)) };
    return { output: id === 'list' ? { all: [1, 2, 3] } : input };
  },
);
const { state } = played;
const bind = (template: Json, local: readonly number[] = []) => bindAll(state, template, new Set(local));

test('each lookup is bound to what it stands for, under its text', () => {
  expect(
    bind({ a: look('inputs.deep.a'), b: `${look('tasks.list.output.all.0')}!`, c: look('item.x') }),
  ).toEqual({
    'inputs.deep.a': { value: [1] },
    'tasks.list.output.all.0': { value: { all: [1, 2, 3] }, path: ['all', '0'] },
  });
});

test('the output of a for_each is one entry per child in order, null where one did not complete', () => {
  expect(bind(look('tasks.each.output.2'))).toEqual({
    'tasks.each.output.2': { list: [{ value: 1 }, null, { value: 3 }], path: ['2'] },
  });
});

test('what the worker makes itself on the way is not bound, and lacks nothing when its turn comes', () => {
  expect(bind([look('tasks.list.output'), look('tasks.sum.output')], [0])).toEqual({
    'tasks.sum.output': { value: [1, null, 3], path: [] },
  });
  const running: JobState = {
    ...state,
    tasks: state.tasks.map((one, at) => (at === 0 ? { ...one, status: 'running' } : one)),
  };
  expect(bindAll(running, look('tasks.list.gaps'), new Set([0]))).toEqual({
    'tasks.list.gaps': { value: [], path: [] },
  });
});

test('a gap says which task, how it ended and why, in a few words', () => {
  expect(gapsOf(state, 1)).toEqual([
    { task: 'each~1', status: 'failed', reason: expect.stringMatching(/^x{100,} … \(cut\)$/) },
  ]);
  expect(gapsOf(state, 1, 1)).toEqual([]);
  expect(gapsOf(state, 0)).toEqual([]);
});

test('only a child has an item, and of a list in the job it carries its own slice', () => {
  expect(itemOf(state, 0)).toBeUndefined();
  expect(itemOf(state, 1)).toBeUndefined();
  expect(itemOf(state, 5)).toEqual({ of: { value: [2] }, from: 0, to: 1, single: true });
  expect(itemOf(state, 7)).toEqual({ of: { list: [{ value: 1 }, null] }, from: 0, to: 2, single: false });
  expect(itemOf(state, 8)).toEqual({ of: { list: [{ value: 3 }] }, from: 0, to: 1, single: false });
});

test('a loop knows how long it is, or what is missing', () => {
  expect(sourceLength(state, 1)).toEqual({ length: 3 });
  expect(sourceLength(state, 3)).toEqual({ length: 3 });
  const unprobed: JobState = { ...state, tasks: state.tasks.map(({ probed: _, ...one }) => one) };
  expect(sourceLength(unprobed, 1)).toEqual({ missing: '${tasks.list.output.all} was not looked at' });
});
