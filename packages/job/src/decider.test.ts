import { expect, test } from 'vitest';
import { jobDecider, jobFold, observedIn } from './decider.ts';
import { cancel, start, timer } from './testing/envelopes.ts';
import { play } from './testing/play.ts';
import { spec, task } from './testing/specs.ts';
import { begun, storyOf } from './testing/story.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

test('a timer brings nothing but the time', () => {
  const decider = jobDecider(testCatalogue());
  const story = storyOf(decider)(...begun(decider, spec([task('a')])));
  story.when(timer(start + 1), start + 1).thenEvents();
  expect(decider.decide(story.state, timer(start + 1e9), start + 1e9)).toEqual([]);
});

test('before its submit a job hears nothing, owes nothing and waits for nothing', () => {
  const decider = jobDecider(testCatalogue());
  storyOf(decider)().when(cancel()).thenEvents().thenNext();
  expect(decider.wakeAt(decider.initial())).toBeUndefined();
  expect(decider.ended(decider.initial())).toBe(false);
});

test('reading a journal takes no catalogue', () => {
  const { events, state } = play(spec([task('a'), task('b', { depends_on: ['a'] })]), () => ({ output: 1 }));
  expect(events.reduce(jobFold.evolve, jobFold.initial())).toEqual(state);
});

test('of what completed the catalogue learns how long it took, by name', () => {
  const job = spec([
    task('a'),
    task('each', { for_each: [1], skill: 'far.work' }),
    task('no', { on_failure: 'skip' }),
  ]);
  const { events, state } = play(job, ({ task: id }) =>
    id === 'no'
      ? { outcome: { kind: 'failed', fault: { kind: 'invalid', detail: '' } } }
      : { output: 1, ms: id === 'a' ? 30 : 70 },
  );
  expect(observedIn(state, events)).toEqual([
    { name: 'skill:work.a', ms: 30 },
    { name: 'skill:far.work', ms: 70 },
  ]);
});
