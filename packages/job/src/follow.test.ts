import type { Json } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { gapsOf } from './bind.ts';
import { jobDecider } from './decider.ts';
import { jobLimits } from './job-limits.ts';
import { recordOf, resultOf } from './record.ts';
import { failed, result, settle, start, submit, taskKey, timer } from './testing/envelopes.ts';
import { type Played, play, type Worker } from './testing/play.ts';
import { look, spec, task } from './testing/specs.ts';
import { begun, storyOf } from './testing/story.ts';
import { testCatalogue } from './testing/test-catalogue.ts';
import { bound } from './testing/worker-side.ts';

const decider = jobDecider(testCatalogue());
const given = storyOf(decider);

const echo: Worker = ({ input }) => ({ output: input });
const statuses = ({ state }: Played): Record<string, string> =>
  Object.fromEntries(recordOf(state, start, 'best-effort').tasks.map(({ id, status }) => [id, status]));

/** What the job's result is once its lookups are replaced, where it is one lookup. */
const resultValue = ({ state, shelf }: Played): Json => {
  const { template, bind } = resultOf(state);
  const binding = bind[String(template).slice(2, -1)];
  const found = binding === undefined ? { value: template } : bound(binding, shelf);
  if ('missing' in found) throw new Error(found.missing);
  return found.value;
};

test('an empty plan is done at once, with an explicit empty result, and nothing is asked of anybody', () => {
  const told = given()
    .when(submit(spec([])))
    .thenKinds('job-accepted', 'job-completed')
    .thenNext();
  expect(told.state).toMatchObject({ status: 'completed', end_reason: 'empty', tasks: [], ended_at: start });
  expect(resultOf(told.state)).toEqual({ template: null, bind: {} });
  const worded = given().when(submit(spec([], { inputs: { a: 1 }, result: look('inputs.a') })));
  expect(resultOf(worded.state)).toEqual({ template: look('inputs.a'), bind: { 'inputs.a': { value: 1 } } });
});

test('a merge has one shape, whether it joins none, one or two', () => {
  const merged = (count: number): Json => {
    const items = Array.from({ length: count }, (_, at) => `item ${at}`);
    const job = spec(
      [
        task('work', { for_each: items, input: { of: look('item') } }),
        task('merge', { input: { all: look('tasks.work.output'), gaps: look('tasks.work.gaps') } }),
      ],
      { result: look('tasks.merge.output') },
    );
    const played = play(job, echo);
    expect(played.state).toMatchObject({ status: 'completed', end_reason: 'goal' });
    return resultValue(played);
  };
  expect(merged(0)).toEqual({ all: [], gaps: [] });
  expect(merged(1)).toEqual({ all: [{ of: 'item 0' }], gaps: [] });
  expect(merged(2)).toEqual({ all: [{ of: 'item 0' }, { of: 'item 1' }], gaps: [] });
});

test('a merge of several tasks begins when the last has ended, and sees each result once', () => {
  const job = spec([
    task('a', { input: 1 }),
    task('b', { input: 2 }),
    task('sum', { input: [look('tasks.a.output'), look('tasks.b.output'), look('tasks.a.output')] }),
  ]);
  const played = play(job, ({ task: id, input }) => ({ output: input, ms: id === 'a' ? 500 : 5 }));
  expect(played.asked.at(-1)).toMatchObject({ task: 'sum', input: [1, 2, 1] });
  expect(played.asked.filter(({ task: id }) => id === 'sum')).toHaveLength(1);
});

test('what a task failed along skip is skipped with it, down to the last, and each says because of which', () => {
  const job = spec([
    task('a', { on_failure: 'skip' }),
    task('b', { depends_on: ['a'] }),
    task('c', { depends_on: ['b'] }),
    task('other'),
  ]);
  const played = play(job, ({ task: id }) =>
    id === 'a' ? { outcome: failed('invalid', 'no') } : { output: 1 },
  );
  expect(statuses(played)).toEqual({ a: 'failed', b: 'skipped', c: 'skipped', other: 'completed' });
  expect(played.state).toMatchObject({ status: 'completed', end_reason: 'goal' });
  expect(recordOf(played.state, start, 'x').tasks.map(({ skipped_because }) => skipped_because)).toEqual([
    undefined,
    'a',
    'b',
    undefined,
  ]);
});

test('a dependency that need not be there is waited for, and missed: null, and named among the gaps', () => {
  const job = spec([
    task('a', { on_failure: 'skip' }),
    task('b', { depends_on: ['a'] }),
    task('sum', {
      depends_on: [
        { task: 'a', optional: true },
        { task: 'b', optional: true },
      ],
      input: {
        a: look('tasks.a.output'),
        why: look('tasks.a.gaps'),
        b: look('tasks.b.output'),
        also: look('tasks.b.gaps'),
      },
    }),
  ]);
  const played = play(job, ({ task: id, input }) =>
    id === 'a' ? { outcome: failed('refused', 'not today'), ms: 300 } : { output: input },
  );
  expect(played.asked.find(({ task: id }) => id === 'sum')?.input).toEqual({
    a: null,
    why: [{ task: 'a', status: 'failed', reason: 'not today' }],
    b: null,
    also: [{ task: 'b', status: 'skipped', reason: 'a did not complete' }],
  });
});

test('a task that fails ends the job with its reason, and what was out is heard to its end', () => {
  const job = spec([task('a'), task('b'), task('c', { depends_on: ['a', 'b'] })], { split: 'always' });
  const played = play(job, ({ task: id }) =>
    id === 'a' ? { outcome: failed('refused', 'not allowed') } : { output: 'kept', ms: 100 },
  );
  expect(statuses(played)).toEqual({ a: 'failed', b: 'completed', c: 'cancelled' });
  expect(played.state).toMatchObject({
    status: 'failed',
    end_reason: 'failed',
    fault: { kind: 'refused', detail: 'task a failed: not allowed' },
    receipt: { completed: 1, stopped: [], silent: [] },
    ended_at: start + 100,
  });
});

test('past its deadline a job stops, gives last words their time, and fails as that', () => {
  const job = spec([task('a'), task('b')], { split: 'always', budget: { wall_ms: 1_000 } });
  const { state } = play(job, ({ task: id }) => (id === 'a' ? 'silence' : { output: 1, ms: 1_200 }));
  expect(state).toMatchObject({
    status: 'failed',
    end_reason: 'deadline',
    fault: { kind: 'refused', detail: "the job's 1000 ms are over" },
    receipt: { completed: 1, stopped: [], silent: ['a'] },
    ended_at: start + 1_000 + jobLimits.stoppingMs,
  });
});

test('a result that looks where nothing is makes the job invalid, with the path and the keys that are there', () => {
  const job = spec([task('a')], { result: { x: look('tasks.a.output.sum') } });
  const { state } = play(job, () => ({ output: { total: 3 } }));
  expect(state).toMatchObject({ status: 'failed', end_reason: 'invalid', fault: { kind: 'invalid' } });
  expect(state.fault?.detail).toBe('result: ${tasks.a.output.sum}: no sum; the keys there are total');
  const gaps = play(spec([task('a')], { result: look('tasks.a.gaps.0.reason') }), () => ({ output: 1 }));
  expect(gaps.state.fault?.detail).toBe('result: ${tasks.a.gaps.0.reason}: no 0; there is a list of 0');
});

test('a result may look into what did not complete: that is null', () => {
  const job = spec([task('a', { on_failure: 'skip' })], { result: look('tasks.a.output.sum') });
  const played = play(job, () => ({ outcome: failed('invalid', 'no') }));
  expect(played.state.status).toBe('completed');
  expect(resultValue(played)).toBeNull();
});

test('a path missing in an output fails the task that looks for it, naming the path and the keys there', () => {
  const job = spec([task('a'), task('b', { input: look('tasks.a.output.list.0') })]);
  const { state } = play(job, () => ({ output: { lists: [] } }));
  expect(state.tasks[1]).toMatchObject({
    status: 'failed',
    fault: { kind: 'invalid', detail: '${tasks.a.output.list.0}: no list; the keys there are lists' },
  });
});

test('C067: a job whose time runs out tells what had failed last and was being tried again', () => {
  const retry = { attempts: 5 };
  const job = spec([task('a', { retry }), task('b', { retry }), task('c', { on_failure: 'skip' })], {
    budget: { wall_ms: 5_000 },
    split: 'always',
  });
  const [a, b, c] = [taskKey('a', 2, 0), taskKey('b', 2, 1), taskKey('c', 2, 2)];
  const busy = (detail: string) => failed('throttled', detail, { retry_after_ms: 0 });
  const told = given(...begun(decider, job))
    .when(settle(b, result(b, busy('first'), { ended_at: start + 1 })))
    .when(settle(a, result(a, busy('then'), { ended_at: start + 2 })))
    .when(settle(c, result(c, failed('invalid', 'for good'), { ended_at: start + 3 })));
  expect(told.when(timer(start + 5_000), start + 5_000).events[0]).toMatchObject({
    kind: 'job-stopping',
    reason: 'deadline',
    detail: "the job's 5000 ms are over; task a had failed: throttled: then",
  });
});

test('a deadline is met by the clock alone, and so are the attempts that are due', () => {
  const job = spec([task('a', { retry: { attempts: 2 } })], { budget: { wall_ms: 400 } });
  const a = taskKey('a', 2, 0);
  const waiting = given(...begun(decider, job)).when(
    settle(a, result(a, failed('throttled', 'busy', { retry_after_ms: 0 }))),
  );
  expect(decider.wakeAt(waiting.state)).toBe(start + jobLimits.retryMs);
  const out = waiting.when(timer(start + 250), start + 250).thenKinds('tasks-retried', 'tasks-assigned');
  expect(decider.wakeAt(out.state)).toBe(start + 400);
  out.when(timer(start + 400), start + 400).thenKinds('job-stopping');
});

test('gaps of what is all there are none', () => {
  const { state } = play(spec([task('a')]), echo);
  expect(gapsOf(state, 0)).toEqual([]);
});
