import { OtherStory } from '@foldmesh/ports/internal';
import { expect, test } from 'vitest';
import { jobDecider } from '../decider.ts';
import { cancel, start, submit, timer } from './envelopes.ts';
import { spec, task } from './specs.ts';
import { begun, storyOf } from './story.ts';
import { testCatalogue } from './test-catalogue.ts';

const decider = jobDecider(testCatalogue());
const given = storyOf(decider);
const job = spec([task('a')]);

test('a story that went otherwise than told says what it was told and what there was', () => {
  const told = given(...begun(decider, job)).when(cancel('no'));
  const wrong = () => told.thenEvents({ kind: 'tasks-cancelled', v: 1, tasks: [0] });
  expect(wrong).toThrow(OtherStory);
  expect(wrong).toThrow('other events than told');
  expect(wrong).toThrow(expect.objectContaining({ actual: told.events, expected: [expect.anything()] }));
  expect(() => told.thenKinds()).toThrow('other kinds of events than told');
  expect(() => told.thenNext()).toThrow('other what should be in flight than told');
  expect(() =>
    told
      .thenEvents(...told.events)
      .thenKinds('job-stopping')
      .thenNext(...told.next),
  ).not.toThrow();
});

test('from one point a story can be told on in two ways', () => {
  const point = given(...begun(decider, job));
  const before = JSON.stringify(point.state);
  point.when(cancel()).thenKinds('job-stopping');
  point.when(timer(start), start + 1).thenEvents();
  expect(JSON.stringify(point.state)).toBe(before);
});

test('a story may begin with nothing', () => {
  given()
    .when(submit(job))
    .thenEvents(...begun(decider, job));
});
