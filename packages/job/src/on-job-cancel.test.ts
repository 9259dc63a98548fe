import { expect, test } from 'vitest';
import { jobDecider } from './decider.ts';
import { jobLimits } from './job-limits.ts';
import { cancel, done, jobKey, result, settle, start, stopped, taskKey, timer } from './testing/envelopes.ts';
import { play } from './testing/play.ts';
import { spec, task } from './testing/specs.ts';
import { begun, storyOf } from './testing/story.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

const decider = jobDecider(testCatalogue());
const given = storyOf(decider);

/** Two tasks out, each alone: a at 2/0, b at 2/1; a third that waits. */
const running = begun(
  decider,
  spec([task('a'), task('b'), task('c', { depends_on: ['a', 'b'] })], { split: 'always' }),
);
const [a, b] = [taskKey('a', 2, 0), taskKey('b', 2, 1)];
const at = start + 100;

test('a cancel stops the job: what has not begun is cancelled, who is out is told, nothing more is asked', () => {
  const told = given(...running)
    .when(cancel('enough'), at)
    .thenEvents(
      {
        kind: 'job-stopping',
        v: 1,
        reason: 'cancelled',
        detail: 'enough',
        until: at + jobLimits.stoppingMs,
        at,
      },
      { kind: 'tasks-cancelled', v: 1, tasks: [2] },
    );
  expect(told.next).toEqual([
    expect.objectContaining({ type: 'job.halt', key: jobKey(3, 0), payload: {}, attempt: 1 }),
  ]);
  expect(told.state.status).toBe('stopping');
});

test('once all have said their last words it ends, and the receipt says who stopped and who completed', () => {
  given(...running)
    .when(cancel(), at)
    .when(settle(a, result(a, done(1))), at + 10)
    .thenKinds('task-completed')
    .when(settle(b, result(b, stopped)), at + 20)
    .thenEvents(
      {
        kind: 'task-stopped',
        v: 1,
        task: 1,
        attempt: 1,
        worker: 'worker-1',
        started_at: start,
        ended_at: start + 10,
      },
      {
        kind: 'job-cancelled',
        v: 1,
        end_reason: 'cancelled',
        receipt: { completed: 1, stopped: ['b'], silent: [] },
        at: at + 20,
      },
    )
    .thenNext();
});

test('after five seconds it ends by itself, and the receipt names who stayed silent', () => {
  const stopping = given(...running)
    .when(cancel(), at)
    .when(settle(a, result(a, stopped)), at + 10);
  const until = at + jobLimits.stoppingMs;
  expect(decider.wakeAt(stopping.state)).toBe(until);
  stopping.when(timer(until), until - 1).thenEvents();
  const ended = stopping.when(timer(until), until).thenKinds('job-cancelled');
  expect(ended.state.receipt).toEqual({ completed: 0, stopped: ['a'], silent: ['b'] });
  expect(ended.state.tasks.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  expect(decider.wakeAt(ended.state)).toBeUndefined();
});

test('a job that is out with nothing is cancelled at once', () => {
  const silent = begun(decider, spec([task('a', { retry: { attempts: 2 } })]));
  const waiting = given(...silent).when(
    settle(
      a,
      result(a, { kind: 'failed', fault: { kind: 'throttled', detail: 'busy', retry_after_ms: 60_000 } }),
    ),
  );
  expect(waiting.state.tasks[0]?.status).toBe('waiting');
  waiting.when(cancel(), at).thenKinds('job-stopping', 'tasks-cancelled', 'job-cancelled').thenNext();
});

test('a second cancel, one of a job that is stopping or has ended, and one of no job add nothing', () => {
  const stopping = given(...running).when(cancel(), at);
  stopping.when(cancel('again', 'c-3'), at + 1).thenEvents();
  stopping
    .when(timer(at), at + jobLimits.stoppingMs)
    .when(cancel('late', 'c-4'), at + jobLimits.stoppingMs + 1)
    .thenEvents();
  given().when(cancel()).thenEvents();
});

test('while it stops an attempt that failed is not tried again, and an unknown outcome stays known as that', () => {
  const job = spec([task('a', { retry: { attempts: 5 } }), task('b')], { split: 'always' });
  const stopping = given(...begun(decider, job)).when(cancel(), at);
  const failed = {
    kind: 'failed',
    fault: { kind: 'unavailable', detail: 'gone', retry_after_ms: 0 },
  } as const;
  expect(
    stopping.when(settle(a, result(a, failed)), at + 1).thenKinds('task-failed').events[0],
  ).toMatchObject({ route: 'fail' });
  const open = { kind: 'unknown', open: { call: 'c', detail: 'd' } } as const;
  const ended = stopping.when(settle(a, result(a, open)), at + 1).when(settle(b, result(b, stopped)), at + 2);
  expect(ended.state).toMatchObject({
    status: 'cancelled',
    tasks: [{ status: 'unknown' }, { status: 'cancelled' }],
  });
});

test('a for_each is cancelled with all its children, also those that had not been let go', () => {
  const job = spec([task('each', { for_each: [1, 2, 3, 4, 5], concurrency: 2 })], { split: 'always' });
  const { state, asked } = play(job, () => 'silence', { mail: [{ at, envelope: cancel() }] });
  expect(state).toMatchObject({
    status: 'cancelled',
    receipt: { completed: 0, silent: ['each~0', 'each~1'] },
  });
  expect(asked).toHaveLength(2);
  expect(state.tasks.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'cancelled'));
});

test('a child that says its last word while the job stops lets no other go', () => {
  const job = spec([task('each', { for_each: [1, 2, 3, 4, 5], concurrency: 2 })], { split: 'always' });
  const { state, asked } = play(job, () => ({ output: 1, ms: 300 }), { mail: [{ at, envelope: cancel() }] });
  expect(asked).toHaveLength(2);
  expect(state).toMatchObject({ status: 'cancelled', receipt: { completed: 2, stopped: [], silent: [] } });
});
