import { expect, test } from 'vitest';
import { jobDecider } from './decider.ts';
import type { EventOf } from './events.ts';
import { jobLimits } from './job-limits.ts';
import { expiredSource, ruleFor } from './on-task-settle.ts';
import { failed, start, stopped, timer } from './testing/envelopes.ts';
import { spec, task } from './testing/specs.ts';
import { begun, storyOf, type Told } from './testing/story.ts';
import { a, alone, busy, says } from './testing/task-alone.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

const decider = jobDecider(testCatalogue());
const given = storyOf(decider);

const failure = (story: Told): EventOf<'task-failed'> => {
  const [event] = story.events;
  if (event?.kind !== 'task-failed') throw new Error(`not a failure but ${event?.kind}`);
  return event;
};

test('a fault that says later is tried again until the attempts are used up, each time later', () => {
  let told = alone({ retry: { attempts: 4 } });
  const waits: number[] = [];
  for (let attempt = 1; attempt < 4; attempt++) {
    told = told.when(says(busy(), { attempt }));
    const { route, due = 0 } = failure(told);
    expect(route).toBe('retry');
    waits.push(due - start);
    expect(told.state.tasks[0]).toMatchObject({ status: 'waiting', attempt: attempt + 1, failures: attempt });
    told = told.when(timer(due), due - 1).thenEvents();
    told = told.when(timer(due), due).thenKinds('tasks-retried', 'tasks-assigned');
    expect(told.next).toEqual([expect.objectContaining({ key: a, attempt: attempt + 1 })]);
  }
  expect(waits).toEqual([250, 500, 1000]);
  expect(failure(told.when(says(busy(), { attempt: 4 }))).route).toBe('fail');
});

test('the wait is what the fault asks for where that is longer, and never above a minute by itself', () => {
  expect(failure(alone({ retry: { attempts: 2 } }).when(says(busy(7_000)))).due).toBe(start + 7_000);
  const job = begun(
    decider,
    spec([task('a', { retry: { attempts: 20 } })], { budget: { wall_ms: 86_400_000 } }),
  );
  let told = given(...job);
  for (let attempt = 1; attempt < 15; attempt++) {
    told = told.when(says(busy(), { attempt }));
    const { due = 0 } = failure(told);
    expect(due - start).toBeLessThanOrEqual(jobLimits.retryMsMax);
    told = told.when(timer(due), due);
  }
});

test('a wait beyond the job’s deadline is none: the fault is told now instead of the deadline later', () => {
  const told = alone({ retry: { attempts: 2 } }).when(says(busy(Number.MAX_SAFE_INTEGER)));
  expect(failure(told).route).toBe('fail');
  expect(told.state).toMatchObject({ end_reason: 'failed', fault: { kind: 'throttled' } });
});

test('a fault that does not say later is not tried again, whatever the attempts', () => {
  expect(failure(alone({ retry: { attempts: 9 } }).when(says(failed('unavailable', 'gone')))).route).toBe(
    'fail',
  );
});

test('what expired before it began, and what a worker gave up, is tried again at once and counts as no attempt', () => {
  for (const outcome of [failed('unavailable', 'late', { source: expiredSource }), stopped]) {
    const told = alone().when(says(outcome));
    expect(failure(told)).toMatchObject({ route: 'retry', due: start, free: true });
    expect(told.state.tasks[0]).toMatchObject({ status: 'running', attempt: 2, failures: 0 });
    expect(told.next).toEqual([expect.objectContaining({ key: a, attempt: 2 })]);
  }
  // An earlier try may have begun it.
  expect(failure(alone().when(says(failed('unanswered', 'late', { source: expiredSource })))).route).toBe(
    'fail',
  );
});

test('what expires again and again is asked for ever more rarely, so that a worker whose clock is ahead is not kept busy', () => {
  const late = failed('unavailable', 'late', { source: expiredSource });
  let told = alone().when(says(late));
  let now: number = start;
  const waits: number[] = [];
  for (let attempt = 2; attempt < 14; attempt++) {
    told = told.when(says(late, { attempt }), now);
    const { due = 0 } = failure(told);
    waits.push(due - now);
    now = due;
    told = told.when(timer(now), now);
  }
  expect(waits.slice(0, 3)).toEqual([250, 500, 1000]);
  expect(Math.max(...waits)).toBe(jobLimits.retryMsMax);
  expect(told.state.tasks[0]).toMatchObject({ attempt: 14, failures: 0 });
});

test('skip lets the job go on, fail ends it, and the first rule that fits the fault decides', () => {
  expect(failure(alone({ on_failure: 'skip' }).when(says(failed('invalid', 'no')))).route).toBe('skip');
  expect(failure(alone({ on_failure: 'fail' }).when(says(failed('invalid', 'no')))).route).toBe('fail');
  const rules = [
    { when: 'invalid', do: 'skip' },
    { when: 'refused', do: 'fail' },
    { when: 'refused', do: 'skip' },
  ] as const;
  expect(ruleFor(rules, { kind: 'invalid', detail: '' })).toBe('skip');
  expect(ruleFor(rules, { kind: 'refused', detail: '' })).toBe('fail');
  expect(ruleFor(rules, { kind: 'overflow', detail: '' })).toBe('fail');
  expect(ruleFor([], { kind: 'invalid', detail: '' })).toBe('fail');
  const ruled = alone({ on_failure: [{ when: 'overflow', do: 'skip' }] });
  expect(failure(ruled.when(says(failed('overflow', 'big')))).route).toBe('skip');
  expect(failure(ruled.when(says(failed('invalid', 'no')))).route).toBe('fail');
});

test('attempts come before the routes', () => {
  const told = alone({ retry: { attempts: 2 }, on_failure: 'skip' }).when(says(busy()));
  expect(failure(told).route).toBe('retry');
  const last = told.when(timer(start), start + 250).when(says(busy(), { attempt: 2 }), start + 250);
  expect(failure(last).route).toBe('skip');
  expect(last.state.status).toBe('completed');
});
