import { expect, test } from 'vitest';
import { runDecider } from './decider.ts';
import { testAgents } from './testing/agents.ts';
import {
  answers,
  assign,
  done,
  modelSays,
  paused,
  runKey,
  settles,
  start,
  taskKey,
  toCall,
  wakes,
} from './testing/envelopes.ts';
import { storyOf } from './testing/story.ts';

const begun = () => storyOf(runDecider(testAgents()))().when(assign('clerk'));
const search = toCall('files.search', { text: 'x' });
const searching = () => begun().when(modelSays({ calls: [search] }));

test('a call that pauses waits for a person, whose answer is its result, once', () => {
  const schema = { type: 'string' };
  const waiting = searching().when(settles(0, paused('really?', schema)));
  waiting.thenKinds('call-paused').thenStatus('waiting').thenAsks('input.ask');
  expect(waiting.next[0]).toMatchObject({
    key: runKey(2, 0),
    payload: { task: taskKey, question: 'really?', schema },
  });
  waiting.when(settles(0, done('late'))).thenEvents();
  waiting.when(answers(1, 'yes')).thenEvents();
  waiting.when(wakes, start + 3 * 86_400_000).thenEvents();
  const answered = waiting.when(answers(0, 'yes'), start + 3 * 86_400_000);
  answered.thenKinds('answer-given', 'model-asked').thenStatus('model_calling');
  expect(answered.events[0]).toMatchObject({ call: 0, value: 'yes', by: 'ann' });
  answered.when(answers(0, 'no', 2)).thenEvents();
});

test('while a sibling is under way the run does not wait, and an answer may come before it', () => {
  const both = begun().when(modelSays({ calls: [search, search] }));
  const half = both
    .when(settles(0, paused('?')))
    .thenStatus('tool_calling')
    .thenAsks('input.ask', 'tool.call');
  half
    .when(settles(1, done(1)))
    .thenStatus('waiting')
    .when(answers(0, 1))
    .thenKinds('answer-given', 'model-asked');
  half
    .when(answers(0, 1))
    .thenStatus('tool_calling')
    .when(settles(1, done(1)))
    .thenKinds('call-returned', 'model-asked');
});

test('nobody can answer a call that asked nobody', () => {
  searching().when(answers(0, 'yes')).thenEvents();
});
