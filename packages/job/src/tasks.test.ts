import { Defect, Key } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { jobDecider } from './decider.ts';
import type { JobState } from './state.ts';
import {
  costOf,
  holderOf,
  jobKeyOf,
  ordinalOf,
  planOf,
  readyTasks,
  taskAt,
  taskIdOf,
  taskKeyOf,
  taskWithId,
  taskWithKey,
} from './tasks.ts';
import { taskKey } from './testing/envelopes.ts';
import { spec, task } from './testing/specs.ts';
import { begun, storyOf } from './testing/story.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

const decider = jobDecider(testCatalogue());
const stateOf = (...tasks: Parameters<typeof spec>[0]): JobState =>
  storyOf(decider)(...begun(decider, spec(tasks, { split: 'always' }))).state;

/** Ordinals: a 0, each 1, after 2, and the three children of each 3, 4, 5. */
const state = stateOf(
  task('a'),
  task('each', { for_each: [1, 2, 3], concurrency: 2 }),
  task('after', { depends_on: ['a'] }),
);

test('a child is named after its for_each, and has its plan', () => {
  expect(state.tasks.map((_, ordinal) => taskIdOf(state, ordinal))).toEqual([
    'a',
    'each',
    'after',
    'each~0',
    'each~1',
    'each~2',
  ]);
  expect(planOf(state, 4).id).toBe('each');
});

test('an ordinal that is not there is a defect', () => {
  expect(() => taskAt(state, 6)).toThrow(new Defect('M4: no task has the ordinal 6'));
  expect(() => taskAt(state, -1)).toThrow(Defect);
});

test('a task has a key once it has been assigned, and is found by that key alone', () => {
  const keys = state.tasks.map((_, ordinal) => taskKeyOf(state, ordinal));
  expect(keys.map((key) => key !== undefined)).toEqual([true, false, true, true, true, false]);
  for (const [ordinal, key] of keys.entries())
    if (key !== undefined) expect(taskWithKey(state, key)).toBe(ordinal);
  const [key] = keys;
  expect(key).toMatch(/^acme\/j-1\/a\/1\/\d+\/0$/);
  for (const other of [
    `${key}`.replace('acme', 'evil'),
    `${key}`.replace('j-1', 'j-2'),
    `${key}`.replace('/1/', '/2/'),
  ])
    expect(taskWithKey(state, Key.parse(other))).toBeUndefined();
});

test('what is no task of the job is found by no name', () => {
  for (const id of ['b', 'each~3', 'each~999', 'a~0', 'constructor', 'toString'])
    expect(taskWithKey(state, taskKey(id, 2, 0)), id).toBeUndefined();
  expect(taskWithId(state, 'each~2' as never)).toBe(5);
  expect(taskWithId(state, 'each~3' as never)).toBeUndefined();
  expect(ordinalOf(state, 'hasOwnProperty')).toBeUndefined();
});

test('a job that nobody has submitted has no position of its own', () => {
  expect(() => jobKeyOf(decider.initial(), 1, 0)).toThrow(Defect);
});

test('ready tasks come in the order in which they became ready, each once', () => {
  const one = stateOf(task('a'), task('b'), task('c'));
  for (const ordinal of [0, 1, 2]) taskAt(one, ordinal).status = 'ready';
  Object.assign(one, { ready: [2, 0, 2, 1], ready_from: 0 });
  expect([...readyTasks(one)]).toEqual([2, 0, 1]);
  taskAt(one, 0).status = 'completed';
  expect([...readyTasks({ ...one, ready_from: 1 })]).toEqual([2, 1]);
});

test('a task costs what the catalogue said until three of its name have been seen, then their median', () => {
  const one = stateOf(task('a', { skill: 'work.b' }));
  const cost = (...seen: number[]): number =>
    costOf({ ...one, observed: { 'skill:work.b': seen } }, planOf(one, 0));
  expect(cost()).toBe(50);
  expect(cost(1, 1)).toBe(50);
  expect(cost(9, 1, 3)).toBe(3);
  expect(costOf({ ...one, observed: { 'skill:work.a': [1, 1, 1] } }, planOf(one, 0))).toBe(50);
});

test('the assignment that holds a task is found as long as it is open', () => {
  expect(holderOf(state, 0)).toBe(state.open[0]);
  expect(holderOf(state, 1)).toBeUndefined();
});
