import { limits } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { jobDecider } from './decider.ts';
import { jobLimits } from './job-limits.ts';
import { cancel, done, jobKey, result, settle, start, taskKey, timer } from './testing/envelopes.ts';
import { look, spec, task } from './testing/specs.ts';
import { begun, storyOf } from './testing/story.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

const decider = jobDecider(testCatalogue());
const given = storyOf(decider);

test('one task alone goes under its own key and attempt, to its pool, with what it looks up and what others will need', () => {
  const job = spec(
    [
      task('a', { skill: 'far.work', input: { root: look('inputs.root') } }),
      task('each', { for_each: look('tasks.a.output.list') }),
    ],
    { inputs: { root: '.' } },
  );
  expect(given(...begun(decider, job)).next).toEqual([
    {
      type: 'task.assign',
      to: { service: 'worker', pool: 'far' },
      key: taskKey('a', 2, 0),
      attempt: 1,
      payload: {
        tasks: [
          {
            key: taskKey('a', 2, 0),
            run: { kind: 'skill', name: 'far.work' },
            input: { root: look('inputs.root') },
            probes: [['list']],
          },
        ],
        bind: { 'inputs.root': { value: '.' } },
      },
      deadline: start + limits.requestMs,
    },
  ]);
});

test('several go under a position of the job, each with the key it would have alone', () => {
  const job = spec([task('a'), task('b', { input: look('tasks.a.output') })]);
  expect(given(...begun(decider, job)).next).toEqual([
    expect.objectContaining({
      key: jobKey(2, 0),
      attempt: 1,
      payload: {
        tasks: [
          expect.objectContaining({ key: taskKey('a', 2, 0) }),
          expect.objectContaining({ key: taskKey('b', 2, 1) }),
        ],
        attempts: [1, 1],
      },
    }),
  ]);
});

test('an assignment lives as long as a request may, and never beyond the job', () => {
  const short = spec([task('a')], { budget: { wall_ms: 5_000 } });
  expect(given(...begun(decider, short)).next[0]?.deadline).toBe(start + 5_000);
});

test('what is due by new events is what they asked, by position', () => {
  const job = spec([task('a'), task('b'), task('c', { depends_on: ['a', 'b'] })], { split: 'always' });
  const told = given(...begun(decider, job));
  const both = [...decider.next(told.state)];
  expect(both.map(({ asked, asked_at }) => [asked, asked_at])).toEqual([
    [2, start],
    [2, start],
  ]);
  expect([...decider.next(told.state, 2)]).toEqual(both);
  expect([...decider.next(told.state, 3)]).toEqual([]);
  const a = taskKey('a', 2, 0);
  const one = told.when(settle(a, result(a, done(1))), start + 5);
  expect([...decider.next(one.state)]).toEqual(both.slice(1));
});

test('a job that stops asks its manager alone to halt what is queued, and one that has ended without a word of somebody asks it again', () => {
  const job = spec([task('a'), task('b')], { split: 'always' });
  const told = given(...begun(decider, job)).when(cancel(), start + 7);
  expect([...decider.next(told.state)]).toEqual([
    {
      draft: {
        type: 'job.halt',
        to: { service: 'manager', pool: expect.stringMatching(/^\d+$/) },
        key: jobKey(3, 0),
        attempt: 1,
        payload: {},
      },
      asked: 3,
      asked_at: start + 7,
    },
  ]);
  expect([...decider.next(told.state, 4)]).toEqual([]);
  // Its manager may have died before it had said so, and come back when the time for last words was over.
  const until = start + 7 + jobLimits.stoppingMs;
  const ended = told.when(timer(until), until);
  expect(ended.state.receipt?.silent).toEqual(['a', 'b']);
  expect(ended.next).toEqual([expect.objectContaining({ type: 'job.halt', key: jobKey(3, 0) })]);
});

test('children of one loop share what their template looks up', () => {
  const job = spec([task('each', { for_each: [1, 2], input: [look('item'), look('inputs.long')] })], {
    inputs: { long: 'x'.repeat(50) },
    split: 'always',
  });
  const few = jobDecider(testCatalogue({ costs: { 'work.a': 1 } }));
  const [draft, ...others] = storyOf(few)(...begun(few, job)).next;
  expect(others).toEqual([]);
  expect(draft?.payload).toMatchObject({
    tasks: [
      { item: { of: { value: [1] }, from: 0, to: 1, single: true } },
      { item: { of: { value: [2] }, from: 0, to: 1, single: true } },
    ],
    bind: { 'inputs.long': { value: 'x'.repeat(50) } },
  });
});
