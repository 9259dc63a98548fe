import { encodeJson, type Json, limits } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { assignable } from './assign.ts';
import { jobDecider } from './decider.ts';
import { jobLimits } from './job-limits.ts';
import type { TaskSpec } from './spec.ts';
import type { JobState } from './state.ts';
import { play, type Worker } from './testing/play.ts';
import { look, spec, task } from './testing/specs.ts';
import { begun, storyOf } from './testing/story.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

/** The mesh has seen `work.a` take so many milliseconds. */
const deciderWhere = (ms: number) =>
  jobDecider(testCatalogue({ slots: 8, costs: { 'work.a': ms, 'work.b': ms } }));

/** What goes out first, as ids. */
const first = (
  ms: number,
  tasks: readonly TaskSpec[],
  split: 'always' | 'never' | 'auto' = 'always',
  inputs = {},
): string[][] =>
  play(spec(tasks, { split, inputs }), () => 'silence', { decider: deciderWhere(ms) })
    .assigns.filter(({ at }, _, [one]) => at === one?.at)
    .map(({ tasks: ids }) => [...ids]);

const many = (count: number, more: Partial<TaskSpec> = {}): TaskSpec[] =>
  Array.from({ length: count }, (_, at) => task(`t${at}`, more));

test('a linear chain is one assignment, in order', () => {
  const chain = [task('c', { depends_on: ['b'] }), task('a'), task('b', { depends_on: ['a'] })];
  expect(first(500, chain)).toEqual([['a', 'b', 'c']]);
});

test('a chain is cut where it would take longer than a minute', () => {
  const chain = many(20).map((one, at) => ({ ...one, depends_on: at === 0 ? [] : [`t${at - 1}`] }));
  expect(first(7_000, chain)).toEqual([many(8).map(({ id }) => id)]);
});

test('a chain ends where it forks, where it joins, and before a for_each', () => {
  const diamond = [
    task('a'),
    task('b', { depends_on: ['a'] }),
    task('c', { depends_on: ['a'] }),
    task('d', { depends_on: ['b', 'c'] }),
  ];
  expect(first(500, diamond)).toEqual([['a']]);
  expect(
    play(spec(diamond, { split: 'always' }), () => ({ output: 1 }), {
      decider: deciderWhere(500),
    }).assigns.map(({ tasks }) => tasks),
  ).toEqual([['a'], ['b'], ['c'], ['d']]);
  expect(first(500, [task('a'), task('each', { for_each: [1], depends_on: ['a'] })])).toEqual([['a']]);
});

test('a chain behind one that need not be there is fused all the same', () => {
  expect(first(500, [task('a'), task('b', { depends_on: [{ task: 'a', optional: true }] })])).toEqual([
    ['a', 'b'],
  ]);
});

test('only tasks of one kind and pool keep each other company', () => {
  const chain = [
    task('a'),
    task('b', { depends_on: ['a'], skill: 'work.b' }),
    task('c', { depends_on: ['b'], skill: 'far.work' }),
    task('d', { depends_on: ['c'], tool: 'files.list' }),
  ];
  expect(first(500, chain)).toEqual([['a', 'b']]);
  const siblings = [
    task('a'),
    task('f', { skill: 'far.work' }),
    task('t', { tool: 'files.list' }),
    task('b'),
  ];
  expect(first(1, siblings)).toEqual([['a', 'b'], ['f'], ['t']]);
});

test('small siblings are bundled until they should take fifty milliseconds together', () => {
  expect(first(10, many(12)).map(({ length }) => length)).toEqual([5, 5, 2]);
  expect(first(26, many(4)).map(({ length }) => length)).toEqual([1, 1, 1, 1]);
});

test('a bundle has as many tasks as an assignment may', () => {
  const sizes = first(0, many(600)).map(({ length }) => length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(limits.assignmentTasksMax);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(600);
});

const bytesOf = (payload: Json | object): number => encodeJson(payload).length;

test('a bundle stays within 64 KiB, whatever its letters weigh', () => {
  for (const letter of ['x', '漢', '😀']) {
    const text = letter.repeat(5_000);
    const { assigns } = play(
      spec(many(40, { input: { text } }), { split: 'always' }),
      () => ({ output: 1 }),
      {
        decider: deciderWhere(0),
      },
    );
    expect(assigns.length).toBeLessThan(40);
    for (const { draft } of assigns)
      expect(bytesOf(draft.payload)).toBeLessThanOrEqual(limits.assignmentBytesMax);
  }
});

test('items of a for_each weigh what they weigh, and one that is too heavy goes alone', () => {
  const items = [...Array.from({ length: 30 }, () => 'x'.repeat(6_000)), 'y'.repeat(100_000)];
  const job = spec([task('each', { for_each: items, input: look('item') })], { split: 'always' });
  const { assigns, state } = play(job, () => ({ output: 1 }), { decider: deciderWhere(0) });
  expect(state.status).toBe('completed');
  const heavy = assigns.filter(({ draft }) => bytesOf(draft.payload) > limits.assignmentBytesMax);
  expect(heavy.map(({ tasks }) => tasks)).toEqual([['each~30']]);
  expect(assigns.length).toBeLessThan(8);
});

test('an unsplit job is one sequence at a time, in an order that respects what each waits for', () => {
  const tasks = [
    task('sum', { depends_on: ['a', 'b'] }),
    task('b'),
    task('a'),
    task('far', { skill: 'far.work' }),
    task('last', { depends_on: ['sum', 'far'] }),
  ];
  const { assigns, asked } = play(spec(tasks, { split: 'never' }), () => ({ output: 1 }), {
    decider: deciderWhere(200),
  });
  expect(assigns.map(({ tasks: ids }) => ids)).toEqual([['b', 'a', 'sum'], ['far'], ['last']]);
  expect(asked.map(({ at }) => at)).toEqual(asked.map(({ at }) => at).toSorted((a, b) => a - b));
});

test('an unsplit sequence takes about a minute and no more than an assignment may hold', () => {
  expect(first(7_000, many(20), 'never')).toEqual([many(8).map(({ id }) => id)]);
  expect(first(90_000, many(3), 'never')).toEqual([['t0']]);
  expect(first(0, many(600), 'never')[0]?.length).toBeLessThanOrEqual(limits.assignmentTasksMax);
});

test('at most 64 assignments are out, the next goes as one settles', () => {
  let most = 0;
  const { state } = play(spec(many(200), { split: 'always' }), () => ({ output: 1, ms: 100 }), {
    decider: deciderWhere(200),
    watch: ({ state: now }) => {
      most = Math.max(most, now.open.length);
      if (now.status === 'running' && now.left >= 64)
        expect(now.open).toHaveLength(jobLimits.openAssignmentsMax);
    },
  });
  expect(most).toBe(jobLimits.openAssignmentsMax);
  expect(state.status).toBe('completed');
});

test('split changes how work travels, never what comes of it', () => {
  const tasks = [
    task('list'),
    task('each', { for_each: look('tasks.list.output'), input: look('item'), on_failure: 'skip' }),
    task('sum', { input: { all: look('tasks.each.output'), gaps: look('tasks.each.gaps') } }),
    task('again', { input: [look('tasks.sum.output'), look('tasks.list.gaps')] }),
  ];
  const worker: Worker = ({ task: id, input }) => {
    if (id === 'each~2') return { outcome: { kind: 'failed', fault: { kind: 'invalid', detail: 'two' } } };
    return { output: id === 'list' ? [1, 2, 3, 4] : input };
  };
  const outputs = (['always', 'auto', 'never'] as const).map((split) => {
    const { state } = play(spec(tasks, { split }), worker, { decider: deciderWhere(1) });
    return state.tasks.map(({ status, output, fault }) => ({ status, output, fault }));
  });
  expect(outputs[1]).toEqual(outputs[0]);
  expect(outputs[2]).toEqual(outputs[0]);
  expect(outputs[0]?.at(3)?.output).toEqual({
    value: [{ all: [1, 2, null, 4], gaps: [{ task: 'each~2', status: 'failed', reason: 'two' }] }, []],
  });
});

test('what has been seen makes later bundles larger', () => {
  const { assigns } = play(spec(many(100), { split: 'always' }), () => ({ output: 1, ms: 2 }), {
    decider: jobDecider(testCatalogue()),
  });
  const sizes = assigns.map(({ tasks }) => tasks.length);
  expect(sizes[0]).toBe(1);
  expect(Math.max(...sizes)).toBe(jobLimits.bundleMs / 2);
});

test('nothing goes out before the decision, nor beside the one assignment of an unsplit job', () => {
  const decider = deciderWhere(200);
  const [accepted] = begun(decider, spec(many(3), { split: 'never' }));
  const story = storyOf(decider);
  expect(assignable(story(...(accepted === undefined ? [] : [accepted])).state)).toEqual([]);
  const out: JobState = story(...begun(decider, spec(many(3), { split: 'never' }))).state;
  expect(assignable(out)).toEqual([]);
  expect(assignable({ ...out, open: [] })).toEqual([]);
});
