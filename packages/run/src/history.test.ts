import type { Json } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { runDecider } from './decider.ts';
import { carriedBy, historyOf, resultText } from './history.ts';
import { testAgents } from './testing/agents.ts';
import {
  answers,
  assign,
  cancels,
  done,
  failed,
  modelSays,
  paused,
  settles,
  toCall,
  unknown,
} from './testing/envelopes.ts';
import { storyOf, type Told } from './testing/story.ts';

const begun = () => storyOf(runDecider(testAgents()))().when(assign('clerk'));
const search = toCall('files.search', { text: 'x' });

/** What the model would be sent, outputs in place. */
const said = ({ journal }: Told, input = 'find it') =>
  historyOf(journal, input).map((message) => {
    if (message.role !== 'tool') return message;
    const { role, call, name, answer } = message;
    const carried = carriedBy(answer);
    const output = carried !== undefined && 'value' in carried ? carried.value : undefined;
    return { role, call, name, ...resultText(answer, output) };
  });

test('a history is the input, then each turn with one result for each call', () => {
  const told = begun()
    .when(modelSays({ text: 'looking', reasoning: { signature: 'abc' }, calls: [search, search] }))
    .when(settles(1, done('two')))
    .when(settles(0, done({ hits: 1 })));
  expect(said(told)).toEqual([
    { role: 'user', text: 'find it' },
    {
      role: 'assistant',
      text: 'looking',
      reasoning: { signature: 'abc' },
      calls: [
        { id: 'c0-0', name: 'files.search', input: { text: 'x' } },
        { id: 'c0-1', name: 'files.search', input: { text: 'x' } },
      ],
    },
    { role: 'tool', call: 'c0-0', name: 'files.search', text: '{"hits":1}', failed: false },
    { role: 'tool', call: 'c0-1', name: 'files.search', text: 'two', failed: false },
  ]);
});

test('C080: ids are ours, and differ over turns', () => {
  let told: Told = begun();
  for (let turn = 0; turn < 3; turn++)
    told = told.when(modelSays({ calls: [search] })).when(settles(0, done(1)));
  expect(said(told).flatMap((message) => (message.role === 'tool' ? [message.call] : []))).toEqual([
    'c0-0',
    'c1-0',
    'c2-0',
  ]);
});

test.each([[''], ['  \n'], [null], [[]]])('C072: a result of %j is said to be none', (output: Json) => {
  const told = begun()
    .when(modelSays({ calls: [search] }))
    .when(settles(0, done(output)));
  expect(said(told).at(-1)).toMatchObject({ text: '(no output)', failed: false });
});

test('0, false and {} are outputs', () => {
  for (const output of [0, false, {}]) {
    const told = begun()
      .when(modelSays({ calls: [search] }))
      .when(settles(0, done(output)));
    expect(said(told).at(-1)).toMatchObject({ text: JSON.stringify(output) });
  }
});

test('C072: a turn that said nothing counts, keeps its reasoning, and is asked to go on', () => {
  const told = begun().when(modelSays({ text: ' ', reasoning: { signature: 'abc' } }));
  expect(said(told).slice(1)).toEqual([
    { role: 'assistant', text: '(nothing)', reasoning: { signature: 'abc' }, calls: [] },
    { role: 'user', text: expect.stringMatching(/^That was not an answer/) },
  ]);
});

test('an input of blanks is said to be none', () => {
  expect(said(begun(), ' ')).toEqual([{ role: 'user', text: '(no input)' }]);
});

test('a made-up name and arguments that are no object go back as what every provider takes', () => {
  const told = begun().when(
    modelSays({
      calls: [toCall('', 'x'), toCall('a\nb', [1]), toCall('n'.repeat(300)), toCall('größe', null)],
    }),
  );
  expect(said(told)[1]).toMatchObject({
    calls: [
      { name: 'unnamed', input: { input: 'x' } },
      { name: 'a_b', input: { input: [1] } },
      { name: 'n'.repeat(64), input: {} },
      { name: 'gr__e', input: { input: null } },
    ],
  });
});

test('faults, problems, unknown outcomes and answers are told as what they are', () => {
  const told = begun()
    .when(modelSays({ calls: [search, search, search, toCall('nope')] }))
    .when(settles(0, failed('invalid', 'text is missing')))
    .when(settles(1, unknown('files.write', 'the line broke')))
    .when(settles(2, paused('?')))
    .when(answers(2, 'go on'));
  expect(said(told).slice(2)).toMatchObject([
    { text: 'invalid: text is missing', failed: true },
    { text: expect.stringContaining('the line broke. It may have happened'), failed: true },
    { text: 'go on', failed: false },
    { text: expect.stringContaining('you may call: files.search'), failed: true },
  ]);
});

test('C071: a call that was cut off says so, and the siblings that returned keep their results', () => {
  const told = begun()
    .when(modelSays({ calls: [search, search] }))
    .when(settles(1, done('kept')))
    .when(cancels)
    .when(assign('clerk', 2));
  expect(said(told).slice(2)).toMatchObject([
    { text: expect.stringMatching(/^Interrupted: the outcome of this call is unknown/), failed: true },
    { text: 'kept', failed: false },
  ]);
});
