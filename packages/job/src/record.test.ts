import { expect, test } from 'vitest';
import { jobDecider } from './decider.ts';
import { recordOf, resultOf } from './record.ts';
import { done, failed, result, settle, start, submit, taskKey, timer, unknown } from './testing/envelopes.ts';
import { play } from './testing/play.ts';
import { look, spec, task } from './testing/specs.ts';
import { begun, storyOf, type Told } from './testing/story.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

const decider = jobDecider(testCatalogue());
const given = storyOf(decider);
const record = ({ state }: Pick<Told, 'state'>, at = start) => recordOf(state, at, 'best-effort');
const waits = (story: Pick<Told, 'state'>) =>
  Object.fromEntries(record(story).tasks.map(({ id, wait }) => [id, wait]));

test('the record of a job under way', () => {
  const job = spec([task('a')], { goal: 'it', labels: { team: 'x' }, budget: { wall_ms: 1_000 } });
  expect(record(given(...begun(decider, job)), start + 400)).toEqual({
    id: 'j-1',
    name: 'a-job',
    status: 'running',
    wait: { reason: 'call', since: start, on: 'a' },
    goal: 'it',
    labels: { team: 'x' },
    round: 1,
    plan: { tasks: 1, decision: expect.objectContaining({ split: false, density: 1 }) },
    tasks: [{ id: 'a', status: 'running', attempt: 1, wait: { reason: 'call', since: start } }],
    requests: [],
    usage: { tool_calls: 0, model_calls: 0 },
    budget_left: { wall_ms: 600 },
    durability: 'best-effort',
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    created_at: start,
    links: { self: '/v1/jobs/j-1', events: '/v1/jobs/j-1/events' },
  });
});

test('the record of one that has ended has its reason, its real duration, and no waits', () => {
  const { state } = play(spec([task('a')]), () => ({
    output: 1,
    ms: 70,
    usage: { tool_calls: 2, model_calls: 3 },
  }));
  const ended = recordOf(state, start + 9_999, 'durable');
  expect(ended).toMatchObject({
    status: 'completed',
    end_reason: 'goal',
    ended_at: start + 70,
    plan: { decision: { actual_ms: 70 } },
    usage: { tool_calls: 2, model_calls: 3 },
    budget_left: { wall_ms: 3_600_000 - 70 },
  });
  expect(ended.tasks).toEqual([
    {
      id: 'a',
      status: 'completed',
      attempt: 1,
      worker: 'worker-1',
      result: { value: 1 },
      started_at: start,
      ended_at: start + 70,
      usage: { tool_calls: 2, model_calls: 3 },
    },
  ]);
});

test('M10: what has not ended says what it waits for', () => {
  const job = spec(
    [
      task('a', { retry: { attempts: 2 } }),
      task('miss', { on_failure: 'skip' }),
      task('each', { for_each: [1, 2, 3], concurrency: 1 }),
      task('sum', { depends_on: [{ task: 'miss', optional: true }, 'a', 'each'] }),
    ],
    { split: 'always' },
  );
  const [out] = given(...begun(decider, job)).next;
  expect(out?.key).toBe(taskKey('a', 3, 0));
  const [a, miss] = [taskKey('a', 3, 0), taskKey('miss', 3, 1)];
  const told = given(...begun(decider, job))
    .when(settle(a, result(a, failed('throttled', 'busy', { retry_after_ms: 900 }))))
    .when(settle(miss, result(miss, failed('invalid', 'no'))));
  expect(waits(told)).toEqual({
    a: { reason: 'retry', since: start + 10, until: start + 900 },
    miss: undefined,
    each: { reason: 'dependency', since: start, on: 'each~0' },
    sum: { reason: 'dependency', since: start, on: 'a' },
    'each~0': { reason: 'call', since: start },
    'each~1': { reason: 'concurrency', since: start, on: 'each' },
    'each~2': { reason: 'concurrency', since: start, on: 'each' },
  });
});

test('a task that is ready waits for the one worker of an unsplit job, or for one of the 64 that a job may have out', () => {
  const many = Array.from({ length: 66 }, (_, at) => task(`t${at}`));
  const split = waits(given(...begun(decider, spec(many, { split: 'always' }))));
  expect(Object.values(split).filter((wait) => wait?.reason !== 'call')).toEqual(
    [1, 2].map(() => ({ reason: 'concurrency', since: start, on: 'job' })),
  );
  const unsplit = given(
    ...begun(decider, spec([task('a'), task('f', { skill: 'far.work' })], { split: 'never' })),
  );
  expect(waits(unsplit)['f']).toEqual({ reason: 'no_slot', since: start });
});

test('a task says why it failed, what nobody knows of it, because of which it was skipped, and how many it became', () => {
  const a = taskKey('a', 2, 0);
  const lost = given(...begun(decider, spec([task('a')]))).when(
    settle(a, result(a, unknown('files.write', 'gone'))),
  );
  expect(record(lost)).toMatchObject({
    status: 'failed',
    end_reason: 'unknown',
    tasks: [{ status: 'unknown', open: { call: 'files.write', detail: 'gone' } }],
    receipt: { completed: 0, stopped: [], silent: [] },
  });
  const job = spec([
    task('a', { on_failure: 'skip' }),
    task('b', { depends_on: ['a'] }),
    task('each', { for_each: [1, 2] }),
  ]);
  const { state } = play(job, ({ task: id }) =>
    id === 'a' ? { outcome: failed('refused', 'no') } : { output: 1 },
  );
  expect(recordOf(state, start, 'x').tasks).toMatchObject([
    { id: 'a', fault: { kind: 'refused', detail: 'no' } },
    { id: 'b', skipped_because: 'a' },
    { id: 'each', children: 2 },
    { id: 'each~0' },
    { id: 'each~1' },
  ]);
});

test('a task that is tried again shows the fault of the time before until it completes', () => {
  const a = taskKey('a', 2, 0);
  const job = spec([task('a', { retry: { attempts: 2 } }), task('z')], { split: 'always' });
  const again = given(...begun(decider, job))
    .when(settle(a, result(a, failed('throttled', 'busy', { retry_after_ms: 0 }))))
    .when(timer(start), start + 250);
  expect(record(again).tasks[0]).toEqual({
    id: 'a',
    status: 'running',
    attempt: 2,
    fault: { kind: 'throttled', detail: 'busy', retry_after_ms: 0 },
    wait: { reason: 'call', since: start + 250 },
  });
  const whole = again.when(settle(a, result(a, done(1), { attempt: 2 })), start + 260);
  expect(record(whole).tasks[0]).toMatchObject({ status: 'completed', attempt: 2, worker: 'worker-1' });
  expect(record(whole).tasks[0]).not.toHaveProperty('fault');
});

test('a refused job has a record with the reason, and one that nobody knows of is an empty one', () => {
  expect(record(given().when(submit({ name: 'bad' })))).toMatchObject({
    name: 'bad',
    status: 'failed',
    end_reason: 'invalid',
    fault: { kind: 'invalid' },
    plan: { tasks: 0, decision: null },
  });
  expect(record(given())).toMatchObject({ id: '', status: 'queued', tasks: [] });
});

test('the result is a template and what its lookups stand for', () => {
  const job = spec([task('a')], { result: { x: look('tasks.a.output.n'), y: 1 } });
  const { state } = play(job, () => ({ output: { n: 5 } }));
  expect(resultOf(state)).toEqual({
    template: { x: look('tasks.a.output.n'), y: 1 },
    bind: { 'tasks.a.output.n': { value: { n: 5 }, path: ['n'] } },
  });
});

test('of many tasks one page at a time, and a large output only as the place where it lies', () => {
  const { state } = play(spec([task('a'), task('b'), task('c')], { split: 'always' }), ({ task: id }) => ({
    output: id === 'b' ? 'x'.repeat(1_000) : 1,
  }));
  const page = recordOf(state, start, 'x', { from: 1, limit: 1 });
  expect(page.tasks).toMatchObject([
    {
      id: 'b',
      result: {
        ref: { bytes: 1_002, href: expect.stringMatching(/^\/v1\/jobs\/j-1\/artifacts\/[0-9a-f]{64}$/) },
      },
    },
  ]);
  expect(page.links['tasks_next']).toBe('/v1/jobs/j-1?tasks_after=b&tasks_limit=1');
  expect(recordOf(state, start, 'x', { from: 2, limit: 1 }).links).not.toHaveProperty('tasks_next');
});
