import { expect, test } from 'vitest';
import { runDecider } from './decider.ts';
import { runStandingOf } from './standing.ts';
import { testAgents } from './testing/agents.ts';
import { assign, cancels, done, modelSays, paused, runKey, settles, toCall } from './testing/envelopes.ts';
import { storyOf } from './testing/story.ts';

const given = storyOf(runDecider(testAgents()));
const begun = given().when(assign('clerk'));
const calling = begun.when(modelSays({ calls: [1, 2, 3].map(() => toCall('files.search')) }));
const answered = { kind: 'answered' };

test('a question to the model is open until it is answered, for the attempt that asked', () => {
  expect(runStandingOf(begun.state, runKey(1), 1)).toEqual({ kind: 'open', asked: 1 });
  expect(runStandingOf(begun.state, runKey(1), 2)).toEqual(answered);
  expect(runStandingOf(begun.state, runKey(2), 1)).toEqual(answered);
  expect(runStandingOf(calling.state, runKey(1), 1)).toEqual(answered);
  expect(runStandingOf(given().state, runKey(1), 1)).toEqual(answered);
});

test('a call is open from the event that sent it until it returns, pauses or the run ends', () => {
  expect(runStandingOf(calling.state, runKey(2, 0), 1)).toEqual({ kind: 'open', asked: 3 });
  // The third waits for its place.
  expect(runStandingOf(calling.state, runKey(2, 2), 1)).toEqual(answered);
  const { state } = calling.when(settles(0, done(1))).when(settles(1, paused('?')));
  expect([0, 1, 2, 3].map((call) => runStandingOf(state, runKey(2, call), 1).kind)).toEqual([
    'answered',
    'answered',
    'open',
    'answered',
  ]);
  expect(runStandingOf(calling.when(cancels).state, runKey(2, 0), 1)).toEqual(answered);
});
