import { Key } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { jobDecider } from './decider.ts';
import { standingOf } from './standing.ts';
import {
  cancel,
  done,
  failed,
  jobKey,
  result,
  settle,
  start,
  stopped,
  taskKey,
  timer,
} from './testing/envelopes.ts';
import { spec, task } from './testing/specs.ts';
import { begun, storyOf } from './testing/story.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

const decider = jobDecider(testCatalogue());
const given = storyOf(decider);
const answered = { kind: 'answered' };
const open = (asked: number) => ({ kind: 'open', asked });

const job = spec(
  [
    task('a', { retry: { attempts: 2 } }),
    task('each', { for_each: [1, 2], skill: 'far.work', concurrency: 1 }),
    task('other', { for_each: [1, 2, 3] }),
  ],
  { split: 'always' },
);
const told = given(...begun(decider, job));
const a = taskKey('a', 4, 0);

test('a task stands open while it is out, for the attempt that is out, and so does each call made in its name', () => {
  expect(told.next[0]?.key).toBe(a);
  expect(standingOf(told.state, a, 1)).toEqual(open(4));
  expect(standingOf(told.state, Key.parse('acme/j-1/a/1/2-0-1/0'), 1)).toEqual(open(4));
  expect(standingOf(told.state, a, 2)).toEqual(answered);
  expect(standingOf(told.state, Key.parse('acme/j-1/a/2/4/0'), 1)).toEqual(answered);
});

test('a task that has settled, that waits, or that has not begun stands answered', () => {
  expect(standingOf(told.when(settle(a, result(a, done(1)))).state, a, 1)).toEqual(answered);
  const waiting = told.when(settle(a, result(a, failed('throttled', 'busy', { retry_after_ms: 0 }))));
  expect(standingOf(waiting.state, a, 1)).toEqual(answered);
  expect(standingOf(waiting.state, a, 2)).toEqual(answered);
  const again = waiting.when(timer(start), start + 250);
  expect(standingOf(again.state, a, 1)).toEqual(answered);
  // What an earlier attempt did is under the same key, so it counts from the first.
  expect(standingOf(again.state, a, 2)).toEqual(open(4));
});

test('a child is not mistaken for a child of another loop', () => {
  expect(standingOf(told.state, taskKey('each~0', 4, 1), 1)).toEqual(open(4));
  expect(standingOf(told.state, taskKey('each~1', 4, 1), 1)).toEqual(answered);
  // Behind the two children of `each` lie those of `other`, which are out.
  for (const id of ['each~2', 'each~3', 'each', 'a~0', 'ghost', 'ghost~1', 'constructor'])
    expect(standingOf(told.state, taskKey(id, 4, 1), 1), id).toEqual(answered);
});

test('a bundle stands open until it is over', () => {
  const chain = given(...begun(decider, spec([task('a'), task('b', { depends_on: ['a'] })])));
  expect(standingOf(chain.state, jobKey(2, 0), 1)).toEqual(open(2));
  expect(standingOf(chain.state, jobKey(2, 1), 1)).toEqual(answered);
  expect(standingOf(chain.state, taskKey('b', 2, 1), 1)).toEqual(open(2));
  const over = chain.when(settle(jobKey(2, 0), result(taskKey('a', 2, 0), stopped)));
  expect(standingOf(over.state, jobKey(2, 0), 1)).toEqual(answered);
});

test('a job that stops wants nothing but its halt, also when it has ended in silence; one that never began wants nothing', () => {
  const stopping = told.when(cancel());
  expect(standingOf(stopping.state, a, 1)).toEqual(answered);
  expect(standingOf(stopping.state, jobKey(5, 0), 1)).toEqual(open(5));
  expect(standingOf(stopping.state, jobKey(4, 0), 1)).toEqual(answered);
  const ended = stopping.when(timer(start), start + 5_000);
  expect(ended.state.status).toBe('cancelled');
  // It has ended without a word of who was out, so its halt is still wanted.
  expect(standingOf(ended.state, jobKey(5, 0), 1)).toEqual({ kind: 'open', asked: ended.state.position - 1 });
  expect(standingOf(ended.state, a, 1)).toEqual(answered);
  expect(standingOf(decider.initial(), a, 1)).toEqual(answered);
});
