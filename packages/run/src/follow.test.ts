import { expect, test } from 'vitest';
import { runDecider } from './decider.ts';
import { groupDueAt } from './follow.ts';
import { runLimits } from './run-limits.ts';
import { testAgents } from './testing/agents.ts';
import {
  answers,
  assign,
  done,
  modelSays,
  paused,
  settles,
  start,
  toCall,
  wakes,
} from './testing/envelopes.ts';
import { storyOf, type Told } from './testing/story.ts';

const begun = (turns = 5) =>
  storyOf(runDecider(testAgents({ limits: { turns, parallel: 2, group_ms: 1_000 } })))().when(
    assign('clerk'),
  );
const calls = (count: number) => Array.from({ length: count }, () => toCall('files.search'));

test('as many calls are under way as the agent is wide, in the order in which the model asked', () => {
  const four = begun()
    .when(modelSays({ calls: calls(4) }))
    .thenKinds('model-replied', 'calls-sent');
  expect(four.events[1]).toMatchObject({ calls: [0, 1] });
  four.thenAsks('tool.call', 'tool.call');
  const third = four.when(settles(1, done(1))).thenKinds('call-returned', 'calls-sent');
  expect(third.events[1]).toMatchObject({ calls: [2] });
  // Who waits for a person holds no place.
  const fourth = third.when(settles(0, paused('?'))).thenKinds('call-paused', 'calls-sent');
  expect(fourth.events[1]).toMatchObject({ calls: [3] });
  fourth.thenAsks('input.ask', 'tool.call', 'tool.call');
  expect(fourth.state.tool_calls).toBe(4);
});

test('at the deadline of a group only who has no answer gets one, which says whether it may have happened', () => {
  const due = start + 1_000;
  const half = begun()
    .when(modelSays({ calls: calls(4) }))
    .when(settles(0, done('kept')));
  expect(groupDueAt(half.state)).toBe(due);
  half.when(wakes, due - 1).thenEvents();
  const late = half
    .when(wakes, due)
    .thenKinds('call-returned', 'call-returned', 'call-returned', 'model-asked');
  expect(late.events.slice(0, 3)).toMatchObject([
    { call: 1, answer: { fault: { kind: 'unanswered' } } },
    { call: 2, answer: { fault: { kind: 'unanswered' } } },
    { call: 3, answer: { fault: { kind: 'unavailable' } } },
  ]);
  expect(late.state.tool_calls).toBe(3);
  late.when(settles(1, done('late'), 2)).thenEvents();
});

test('who waits for a person has no deadline', () => {
  const two = begun()
    .when(modelSays({ calls: calls(2) }))
    .when(settles(0, paused('?')));
  const late = two
    .when(wakes, start + 1_000)
    .thenKinds('call-returned')
    .thenStatus('waiting');
  expect(groupDueAt(late.state)).toBeUndefined();
  late
    .when(wakes, start + 1_000_000)
    .thenEvents()
    .when(answers(0, 'yes'))
    .thenKinds('answer-given', 'model-asked');
});

test('C072: turns that say nothing are borne, but not for ever', () => {
  const nothing = modelSays({ text: ' \n', reasoning: { signature: 'x' } });
  let told: Told = begun(50);
  for (let turn = 0; turn < runLimits.emptyTurnsMax; turn++)
    told = told.when(nothing).thenKinds('model-replied', 'model-asked');
  const ended = told.when(nothing).thenKinds('model-replied', 'run-failed').thenStatus('failed');
  expect(ended.state.end?.reason).toBe('empty');
  // Another attempt is borne with as long as the first.
  ended.when(assign('clerk', 2)).when(nothing).thenKinds('model-replied', 'model-asked');
  // One word in between, and they are counted anew.
  told
    .when(modelSays({ calls: calls(1) }))
    .when(settles(0, done(1)))
    .when(nothing)
    .thenKinds('model-replied', 'model-asked');
});

test.each([1, 2, 7])(
  'C061: with a limit of %i turns the model is called so often, and the run ends',
  (turns) => {
    let told: Told = begun(turns);
    let asked = 0;
    while (told.state.status === 'model_calling') {
      asked += 1;
      told = told
        .when(modelSays({ text: `turn ${asked}`, calls: calls(1) }))
        .when(settles(0, done('limit reached')));
    }
    expect([asked, told.state.status, told.state.end?.reason]).toEqual([turns, 'failed', 'turn_limit']);
    expect(told.state.model_calls).toBe(turns);
    expect(told.next[0]?.payload).toMatchObject({
      results: [
        { outcome: { fault: { detail: expect.stringContaining(`; it had last said: turn ${turns}`) } } },
      ],
    });
  },
);
