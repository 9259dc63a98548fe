import { Defect } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { jobDecider } from './decider.ts';
import type { JobEvent } from './events.ts';
import { evolveJob } from './evolve.ts';
import { evolveSettled } from './evolve-settled.ts';
import { takeOff } from './evolve-task.ts';
import type { JobState } from './state.ts';
import { start } from './testing/envelopes.ts';
import { spec, task } from './testing/specs.ts';
import { begun, storyOf } from './testing/story.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

const decider = jobDecider(testCatalogue());

/** Tasks a (running), b (behind a), each (a for_each behind b). */
const state = (): JobState =>
  storyOf(decider)(
    ...begun(
      decider,
      spec(
        [
          task('a'),
          task('b', { depends_on: ['a'], skill: 'far.work' }),
          task('each', { for_each: [1], depends_on: ['b'] }),
        ],
        {
          split: 'always',
        },
      ),
    ),
  ).state;

const times = { worker: 'w', started_at: start, ended_at: start + 5 };
const completed = (ordinal: number): JobEvent => ({
  kind: 'task-completed',
  v: 1,
  task: ordinal,
  attempt: 1,
  output: { value: null },
  ...times,
});

test.each<[string, JobEvent]>([
  ['a task completes that was never out', completed(1)],
  ['a task that is behind another is retried', { kind: 'tasks-retried', v: 1, tasks: [1] }],
  ['a task that is out is retried', { kind: 'tasks-retried', v: 1, tasks: [0] }],
  [
    'a job completes with tasks that have not',
    { kind: 'job-completed', v: 1, end_reason: 'goal', at: start },
  ],
  ['a task that is out is skipped', { kind: 'tasks-skipped', v: 1, tasks: [{ task: 0, because: 1 }] }],
  ['a task is assigned that is out', { kind: 'tasks-assigned', v: 1, assignments: [[0]], at: start }],
  [
    'a for_each is expanded before what it waits for',
    { kind: 'task-expanded', v: 1, task: 2, items: 1, children: 1 },
  ],
  ['a for_each is joined that was never expanded', { kind: 'task-joined', v: 1, task: 2, at: start }],
  ['an assignment ends that is not open', { kind: 'assignment-ended', v: 1, step: 99, call: 0 }],
  ['a task is named that is not there', completed(17)],
  [
    'a job is cancelled that is not stopping',
    { kind: 'job-cancelled', v: 1, end_reason: 'cancelled', at: start },
  ],
])('a defect: %s', (_, event) => {
  expect(() => evolveJob(state(), event)).toThrow(Defect);
});

test('what has ended does not move any more', () => {
  const ended = evolveJob(state(), completed(0));
  expect(() => evolveJob(ended, completed(0))).toThrow('M4: task 0 cannot go from completed to completed');
  const failed: JobEvent = { ...completed(0), kind: 'job-completed', end_reason: 'goal', at: start } as never;
  expect(() => evolveJob(decider.initial(), failed)).toThrow('M1: a job that was never accepted cannot move');
});

test('an event moves the position by one, whatever it is', () => {
  const before = state().position;
  expect(before).toBe(3);
  expect(evolveJob(state(), completed(0)).position).toBe(before + 1);
  expect(decider.initial().position).toBe(0);
});

test('evolve owns the state and changes it in place, so that a long list costs nothing to keep', () => {
  const one = state();
  const { tasks } = one;
  expect(evolveJob(one, completed(0))).toBe(one);
  expect(one.tasks).toBe(tasks);
});

test('of the durations of a name only the last fifteen are kept, and none is below nothing', () => {
  const one = state();
  for (let run = 0; run < 20; run++) {
    Object.assign(one.tasks[0] ?? {}, { status: 'running' });
    one.left += 1;
    evolveSettled(one, { ...completed(0), ended_at: start + run - 2 } as never);
  }
  expect(one.observed['skill:work.a']).toEqual(Array.from({ length: 15 }, (_, at) => at + 3));
  Object.assign(one.tasks[0] ?? {}, { status: 'running' });
  evolveSettled(one, { ...completed(0), ended_at: start - 2 } as never);
  expect(one.observed['skill:work.a']?.at(-1)).toBe(0);
});

test('waiting attempts are kept by when they are due, and the first to come of those due together', () => {
  const many = spec(
    Array.from({ length: 5 }, (_, at) => task(`t${at}`, { retry: { attempts: 2 } })),
    { split: 'always' },
  );
  const one = storyOf(decider)(...begun(decider, many)).state;
  for (const [ordinal, due] of [300, 100, 300, 200, 100].entries())
    evolveJob(one, {
      kind: 'task-failed',
      v: 1,
      task: ordinal,
      attempt: 1,
      fault: { kind: 'throttled', detail: 'busy' },
      route: 'retry',
      due: start + due,
      ...times,
    });
  expect(one.retries).toEqual([1, 4, 3, 0, 2]);
  expect(decider.wakeAt(one)).toBe(start + 100);
  expect(decider.follow(one, start + 200)[0]).toEqual({ kind: 'tasks-retried', v: 1, tasks: [1, 4, 3] });
  evolveJob(one, { kind: 'tasks-retried', v: 1, tasks: [4, 0] });
  expect(one.retries).toEqual([1, 3, 2]);
  expect([one.tasks[4]?.status, one.tasks[4]?.due]).toEqual(['ready', undefined]);
});

test('work lists lose what is taken off, from the front or from anywhere', () => {
  const list = [1, 2, 3, 4];
  takeOff(list, [1, 2]);
  expect(list).toEqual([3, 4]);
  takeOff(list, [4]);
  expect(list).toEqual([3]);
  takeOff(list, [9]);
  expect(list).toEqual([3]);
});
