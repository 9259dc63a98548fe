import type { Json } from '@foldmesh/envelope';
import type { ModelMessage, ModelRequest } from '@foldmesh/ports';
import { expect, test } from 'vitest';
import { reasoningProblems } from './reasoning-problems.ts';
import { Script } from './script.ts';

const signed = { type: 'thinking', thinking: 'first this', signature: 'c2ln' };
const request = (...messages: readonly ModelMessage[]): ModelRequest => ({
  model: 'm',
  instructions: 'Find it.',
  messages,
  tools: [],
});
const user = (text: string): ModelMessage => ({ role: 'user', text });
const turn = (reasoning?: Json): ModelMessage => ({
  role: 'assistant',
  text: 'so',
  calls: [],
  ...(reasoning !== undefined && { reasoning }),
});

test.each<[string, Json | undefined, readonly string[]]>([
  ['as it came', { ...signed }, []],
  ['dropped', undefined, ['message 2: the reasoning of turn 1 is missing']],
  ['another', { ...signed, thinking: '' }, ['message 2: the reasoning of turn 1 is not as it came']],
  [
    'put in another order',
    { signature: 'c2ln', type: 'thinking', thinking: 'first this' },
    ['message 2: the reasoning of turn 1 is not as it came'],
  ],
])('what was said is wanted back: %s', (_, back, problems) => {
  const script = Script.parse({ turns: [{ reasoning: signed }, { text: 'b' }] });
  expect(reasoningProblems(request(user('go'), turn(back), user('on')), script)).toEqual(problems);
});

test('reasoning that was never said, or belongs to another turn, is refused by its place', () => {
  const script = Script.parse({ turns: [{ text: 'a' }, { reasoning: signed }, { text: 'c' }] });
  expect(reasoningProblems(request(user('go'), turn(signed), user('on'), turn()), script)).toEqual([
    'message 2: the reasoning of turn 1 is not as it came',
    'message 4: the reasoning of turn 2 is missing',
  ]);
});

test('of several things a turn could say it is the one that its results led to', () => {
  const script = Script.parse({
    turns: [{ text: 'look' }, [{ when: 'gold', reasoning: signed }, { reasoning: 'nothing there' }]],
  });
  const after = (result: string, back: Json) =>
    reasoningProblems(request(user('gold'), turn(), user(result), turn(back), user('on')), script);
  expect(after('gold!', signed)).toEqual([]);
  expect(after('dust', 'nothing there')).toEqual([]);
  expect(after('dust', signed)).toEqual(['message 4: the reasoning of turn 2 is not as it came']);
});

test('a script without such a turn wants nothing back', () => {
  expect(
    reasoningProblems(request(user('go'), turn(signed)), Script.parse({ turns: [[{ when: 'x' }]] })),
  ).toEqual([]);
});
