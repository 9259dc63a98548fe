import { expect, test } from 'vitest';
import { jobDecider } from './decider.ts';
import { jobLimits } from './job-limits.ts';
import { expiredSource } from './on-task-settle.ts';
import type { TaskSpec } from './spec.ts';
import {
  cancel,
  carried,
  done,
  failed,
  jobKey,
  result,
  settle,
  start,
  taskKey,
  timer,
  unknown,
} from './testing/envelopes.ts';
import { spec, task } from './testing/specs.ts';
import { begun, storyOf } from './testing/story.ts';
import { a, alone, busy, says } from './testing/task-alone.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

const decider = jobDecider(testCatalogue());
const given = storyOf(decider);

/** A chain `a`, `b`, `c`, out as one assignment since event 2. */
const chain = (more: Partial<TaskSpec> = {}) =>
  given(
    ...begun(
      decider,
      spec([task('a', more), task('b', { depends_on: ['a'] }), task('c', { depends_on: ['b'] })]),
    ),
  );
const bundle = jobKey(2, 0);
const [b, c] = [taskKey('b', 2, 1), taskKey('c', 2, 2)];

test('a result is what its worker said, with its times, its usage, and what it found on the paths asked for', () => {
  const told = alone().when(
    says(carried({ ref: { digest: 'a'.repeat(64) as never, bytes: 9 } }), {
      usage: { tool_calls: 3 },
      probed: [{ length: 4 }, { missing: 'no x' }],
    }),
  );
  expect(told.events[0]).toEqual({
    kind: 'task-completed',
    v: 1,
    task: 0,
    attempt: 1,
    worker: 'worker-1',
    started_at: start,
    ended_at: start + 10,
    usage: { tool_calls: 3 },
    output: { ref: { digest: 'a'.repeat(64), bytes: 9 } },
    probed: [{ length: 4 }, { missing: 'no x' }],
  });
  expect(told.state).toMatchObject({ status: 'completed', tool_calls: 3 });
});

test('M2: the same result again, a later one for the same attempt, and one after the end add nothing', () => {
  const job = spec([task('a'), task('z')], { split: 'always' });
  const once = given(...begun(decider, job)).when(says(done(1)));
  once.when(says(done(1))).thenEvents();
  once.when(says(done(2))).thenEvents();
  once.when(says(failed('invalid', 'no'))).thenEvents();
  expect(once.state.tasks[0]?.output).toEqual({ value: 1 });
  const ended = alone().when(says(done(1)));
  ended.when(says(failed('invalid', 'no'))).thenEvents();
  given()
    .when(says(done(1)))
    .thenEvents();
});

test('of two results for one task in one envelope the first counts', () => {
  const told = alone().when(settle(a, result(a, done(1)), result(a, failed('invalid', 'no'))));
  told.thenKinds('task-completed', 'job-completed');
});

test('a result for another attempt, another key or another job adds nothing', () => {
  const second = alone({ retry: { attempts: 3 } })
    .when(says(busy()))
    .when(timer(start), start + jobLimits.retryMs)
    .thenKinds('tasks-retried', 'tasks-assigned');
  second.when(says(done(1))).thenEvents();
  second.when(says(done(1), { attempt: 3 })).thenEvents();
  second.when(says(done(1), { key: taskKey('a', 5, 0), attempt: 2 })).thenEvents();
  second.when(says(done(1), { key: taskKey('ghost', 2, 0), attempt: 2 })).thenEvents();
  second.when(says(done(1), { attempt: 2 })).thenKinds('task-completed', 'job-completed');
});

test('the failure of an old attempt does not touch the new one', () => {
  const second = alone({ retry: { attempts: 2 } })
    .when(says(failed('unavailable', 'expired', { source: expiredSource })))
    .thenKinds('task-failed', 'tasks-retried', 'tasks-assigned');
  second.when(says(failed('unanswered', 'struck out'))).thenEvents();
  expect(second.state.tasks[0]).toMatchObject({ status: 'running', attempt: 2 });
});

test('a bundle settles in order up to the first that did not complete; the rest is free again', () => {
  chain()
    .when(settle(bundle, result(a, done(1)), result(b, failed('refused', 'no'))))
    .thenKinds(
      'task-completed',
      'task-failed',
      'assignment-ended',
      'job-stopping',
      'tasks-cancelled',
      'job-failed',
    );
  const handedBack = chain()
    .when(settle(bundle, result(a, done(1))))
    .thenKinds('task-completed', 'assignment-ended', 'tasks-assigned');
  expect(handedBack.state.tasks.map(({ status }) => status)).toEqual(['completed', 'running', 'running']);
  // Who comes back keeps key and attempt: nothing of it had begun.
  expect(handedBack.next).toEqual([
    expect.objectContaining({ key: jobKey(5, 0), payload: expect.objectContaining({ attempts: [1, 1] }) }),
  ]);
  expect(handedBack.next[0]?.payload).toMatchObject({ tasks: [{ key: b }, { key: c }] });
});

test('a fused task whose predecessor waits for another attempt waits with it', () => {
  const told = chain({ retry: { attempts: 2 } })
    .when(settle(bundle, result(a, busy())))
    .thenKinds('task-failed', 'assignment-ended')
    .thenNext();
  expect(told.state.tasks.map(({ status }) => status)).toEqual(['waiting', 'pending', 'pending']);
  const again = told.when(timer(start), start + 250).thenKinds('tasks-retried', 'tasks-assigned');
  expect(again.next[0]?.payload).toMatchObject({
    attempts: [2, 1, 1],
    tasks: [{ key: a }, { key: b }, { key: c }],
  });
});

test('a result for a task whose turn had not come adds nothing', () => {
  chain()
    .when(settle(bundle, result(b, done(1))))
    .thenEvents();
  chain()
    .when(settle(bundle, result(b, busy()), result(c, busy())))
    .thenEvents();
  const all = chain().when(settle(bundle, result(a, failed('invalid', 'no')), result(b, done(1))));
  expect(all.events.map(({ kind }) => kind).slice(0, 2)).toEqual(['task-failed', 'assignment-ended']);
});

test('results from two assignments in one envelope end both', () => {
  const four = spec(
    ['a', 'b', 'c', 'd'].map((id, at) =>
      task(id, { depends_on: at % 2 === 1 ? [['a', 'c'][at >> 1] ?? ''] : [] }),
    ),
    { split: 'always' },
  );
  const told = given(...begun(decider, four));
  const [first, second] = told.next.map(({ payload }) => ('tasks' in payload ? payload.tasks : []));
  expect([first?.length, second?.length]).toEqual([2, 2]);
  const [x, y] = [first?.[0]?.key ?? a, second?.[0]?.key ?? a];
  told
    .when(settle(bundle, result(x, done(1)), result(y, done(2))))
    .thenKinds('task-completed', 'task-completed', 'assignment-ended', 'assignment-ended', 'tasks-assigned');
});

test('who could not read a bundle speaks for what could have begun, and counts nothing twice', () => {
  const unread = result(bundle, failed('invalid', 'not JSON'), { usage: { tool_calls: 5 } });
  const told = chain({ on_failure: 'skip' })
    .when(settle(bundle, unread))
    .thenKinds('task-failed', 'assignment-ended', 'tasks-skipped', 'tasks-skipped', 'job-completed');
  expect(told.state).toMatchObject({
    tool_calls: 0,
    tasks: [{ status: 'failed' }, { because: 0 }, { because: 1 }],
  });
  // There is no output of a bundle.
  chain()
    .when(settle(bundle, result(bundle, done(1))))
    .thenEvents();
  chain()
    .when(settle(bundle, result(jobKey(2, 1), failed('invalid', 'no'))))
    .thenEvents();
});

test('an unknown outcome ends the job with the call nobody has an answer to, and nothing behind it runs', () => {
  const told = chain({ retry: { attempts: 9 }, on_failure: 'skip' })
    .when(settle(bundle, result(a, unknown('files.write', 'the connection broke'))))
    .thenKinds('task-unknown', 'assignment-ended', 'job-stopping', 'tasks-cancelled', 'job-failed')
    .thenNext();
  expect(told.state).toMatchObject({
    status: 'failed',
    end_reason: 'unknown',
    fault: { kind: 'unanswered' },
  });
  expect(told.state.fault?.detail).toBe(
    'task a: the outcome of files.write is unknown: the connection broke',
  );
  expect(told.state.tasks.map(({ status }) => status)).toEqual(['unknown', 'cancelled', 'cancelled']);
});

test('usage of every attempt counts, and of a repeat none', () => {
  const used = { usage: { tool_calls: 2 } };
  const first = alone({ retry: { attempts: 2 } })
    .when(says(busy(), used))
    .when(says(busy(), used));
  const second = first.when(timer(start), start + 250).when(says(done(), { ...used, attempt: 2 }));
  expect(second.state).toMatchObject({ tool_calls: 4, tasks: [{ usage: { tool_calls: 4 } }] });
});

test('what is said while the job stops is heard, and opens nothing again', () => {
  const stopping = given(...begun(decider, spec([task('a'), task('b')], { split: 'always' }))).when(cancel());
  const told = stopping.when(says(done(1))).thenKinds('task-completed');
  expect(told.state).toMatchObject({
    status: 'stopping',
    tasks: [{ status: 'completed' }, { status: 'running' }],
  });
});
