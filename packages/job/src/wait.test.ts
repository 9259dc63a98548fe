import { choices } from '@foldmesh/ports/internal';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jobDecider } from './decider.ts';
import type { JobState } from './state.ts';
import { taskAt, taskIdOf } from './tasks.ts';
import { cancel, done, failed, result, settle, start, taskKey } from './testing/envelopes.ts';
import { randomSpec } from './testing/random-plan.ts';
import { randomRun } from './testing/random-run.ts';
import { spec, task } from './testing/specs.ts';
import { begun, storyOf } from './testing/story.ts';
import { testCatalogue } from './testing/test-catalogue.ts';
import { jobEnded, taskEnded } from './transitions.ts';
import { jobWait, statusOf, waitChain, waitOf, waitRoots } from './wait.ts';

const decider = jobDecider(testCatalogue());
const given = storyOf(decider);
const tapes = fc.noBias(fc.array(fc.nat(9_999), { maxLength: 800, size: 'max' }));

const chainsIn = (state: JobState): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    state.tasks.map((_, ordinal) => [
      taskIdOf(state, ordinal),
      waitChain(state, ordinal).map((one) => taskIdOf(state, one)),
    ]),
  );

test('M10: in every history whatever has not ended waits for something, and what has ended for nothing', {
  timeout: 60_000,
}, () => {
  fc.assert(
    fc.property(tapes, (tape) => {
      const draw = choices(tape);
      randomRun(decider, randomSpec(draw), draw, ({ state }) => {
        if (state.status === undefined) return;
        expect(jobWait(state) !== undefined).toBe(!jobEnded(state.status));
        if (jobEnded(state.status)) return;
        const roots = waitRoots(state);
        for (const [ordinal, { status }] of state.tasks.entries()) {
          expect(waitOf(state, ordinal) !== undefined).toBe(!taskEnded(status));
          if (taskEnded(status)) continue;
          const last = waitChain(state, ordinal).at(-1) ?? ordinal;
          expect(taskEnded(taskAt(state, last).status)).toBe(false);
          expect(waitOf(state, last)?.reason).not.toBe('dependency');
          expect(roots.get(ordinal) ?? ordinal).toBe(last);
        }
      });
    }),
    { numRuns: 60, seed: 20_262, endOnFailure: true },
  );
});

test('a chain goes through what does not go on to what really waits', () => {
  const job = spec(
    [
      task('a', { retry: { attempts: 2 } }),
      task('each', { for_each: [1, 2], concurrency: 1 }),
      task('mid', { depends_on: ['each'] }),
      task('sum', { depends_on: ['a', 'mid'] }),
      task('end', { depends_on: ['sum'] }),
    ],
    { split: 'always' },
  );
  const a = taskKey('a', 3, 0);
  const both = given(...begun(decider, job));
  expect(chainsIn(both.state)).toEqual({
    a: ['a'],
    each: ['each', 'each~0'],
    mid: ['mid', 'each', 'each~0'],
    sum: ['sum', 'a'],
    end: ['end', 'sum', 'a'],
    'each~0': ['each~0'],
    'each~1': ['each~1'],
  });
  const told = both.when(settle(a, result(a, done(1))));
  expect(chainsIn(told.state)['end']).toEqual(['end', 'sum', 'mid', 'each', 'each~0']);
});

test('a job waits for its oldest call, then for the next attempt, and once it stops for last words', () => {
  const job = spec([task('a', { retry: { attempts: 2 } }), task('b')], { split: 'always' });
  const [a, b] = [taskKey('a', 2, 0), taskKey('b', 2, 1)];
  const both = given(...begun(decider, job));
  expect(jobWait(both.state)).toEqual({ reason: 'call', since: start, on: 'a' });
  const retrying = both.when(settle(a, result(a, failed('throttled', 'busy', { retry_after_ms: 900 }))));
  expect(jobWait(retrying.state)).toEqual({ reason: 'call', since: start, on: 'b' });
  expect(statusOf(retrying.state)).toBe('running');
  const alone = retrying.when(settle(b, result(b, done(1))));
  expect(jobWait(alone.state)).toMatchObject({ reason: 'retry', until: start + 900, on: 'a' });
  expect(statusOf(alone.state)).toBe('waiting');
  const stopping = both.when(cancel('enough'), start + 5);
  const lastWords = { reason: 'call', since: start + 5, until: start + 5_005 };
  expect(jobWait(stopping.state)).toEqual(lastWords);
  expect(waitOf(stopping.state, 0)).toEqual(lastWords);
  expect(statusOf(stopping.state)).toBe('stopping');
});
