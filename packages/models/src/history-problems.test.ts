import type { ModelMessage, ModelRequest } from '@foldmesh/ports';
import { choices } from '@foldmesh/ports/internal';
import { carriedBy, historyOf, type RunEvent, resultText, runDecider } from '@foldmesh/run';
import { randomRun, testAgents } from '@foldmesh/run/internal';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { historyProblems } from './history-problems.ts';

const user: ModelMessage = { role: 'user', text: 'find it' };
const call = { id: 'c0-0', name: 'files.search', input: {} };
const turn = (more: Partial<Extract<ModelMessage, { role: 'assistant' }>> = {}): ModelMessage => ({
  role: 'assistant',
  text: '',
  calls: [call],
  ...more,
});
const result = (more: Partial<Extract<ModelMessage, { role: 'tool' }>> = {}): ModelMessage => ({
  role: 'tool',
  call: 'c0-0',
  name: 'files.search',
  text: 'three hits',
  failed: false,
  ...more,
});
const request = (messages: readonly ModelMessage[], tools: ModelRequest['tools'] = []): ModelRequest => ({
  model: 'm',
  instructions: 'Find it.',
  messages,
  tools,
});
const tool = (name: string, schema: ModelRequest['tools'][number]['schema'] = { type: 'object' }) => ({
  name,
  description: '',
  schema,
});

test('a valid request has no problems', () => {
  expect(historyProblems(request([user]))).toEqual([]);
  expect(historyProblems(request([user, turn(), result()], [tool('files.search')]))).toEqual([]);
  expect(historyProblems(request([user, turn({ text: 'so', calls: [] }), user]))).toEqual([]);
});

test.each<[string, readonly ModelMessage[]]>([
  ['the first message is not the user’s', []],
  ['the first message is not the user’s', [turn(), result()]],
  ['message 1: an empty turn', [{ role: 'user', text: ' \n' }]],
  ['message 2: the result c0-0 has no call before it', [user, result()]],
  ['message 4: the result c0-0 has no call before it', [user, turn(), result(), result()]],
  ['message 3: an empty result', [user, turn(), result({ text: ' ' })]],
  [
    'message 3: the result c0-0 is of files.write, its call of files.search',
    [user, turn(), result({ name: 'files.write' })],
  ],
  ['message 3: no result for the calls c0-0', [user, turn(), user]],
  ['no result for the calls c0-0', [user, turn()]],
  ['message 2: two calls have one id', [user, turn({ calls: [call, call] }), result()]],
  ['message 2: an empty turn', [user, turn({ calls: [] }), user]],
  ['message 2: a text of blanks', [user, turn({ text: ' ' }), result()]],
  ['the last message is the assistant’s', [user, turn({ text: 'so', calls: [] })]],
  [
    'message 2: the call c0-0 has the name ""',
    [user, turn({ calls: [{ ...call, name: '' }] }), result({ name: '' })],
  ],
  [
    'message 2: the arguments of c0-0 are no object',
    [user, turn({ calls: [{ ...call, input: 'x' }] }), result()],
  ],
])('%s', (problem, messages) => {
  expect(historyProblems(request(messages))).toContain(problem);
});

test('tools have names that every provider takes, one each, and take an object', () => {
  const tools = [tool('a.b'), tool('a.b'), tool('a b'), tool('n'.repeat(65)), tool('c', { type: 'string' })];
  expect(historyProblems(request([user], tools))).toEqual([
    'two tools are called a.b',
    'the tool name "a b" is not allowed',
    `the tool name "${'n'.repeat(65)}" is not allowed`,
    'the schema of c is no object',
  ]);
});

const decider = runDecider(testAgents());

/** What a model would be sent at this point of a journal. */
const sent = (journal: readonly RunEvent[]): readonly ModelMessage[] =>
  historyOf(journal, ' ').map((message) => {
    if (message.role !== 'tool') return message;
    const { role, call: of, name, answer } = message;
    const carried = carriedBy(answer);
    const output = carried !== undefined && 'value' in carried ? carried.value : undefined;
    return { role, call: of, name, ...resultText(answer, output) };
  });

test('C071, C072, C083: whatever is in a journal, its history up to any event is valid', {
  timeout: 60_000,
}, () => {
  let prefixes = 0;
  fc.assert(
    fc.property(fc.noBias(fc.array(fc.nat(9_999), { maxLength: 1_500, size: 'max' })), (tape) => {
      const journal = randomRun(decider, choices(tape));
      let before: readonly ModelMessage[] = [];
      for (let end = 0; end <= journal.length; end++) {
        const messages = sent(journal.slice(0, end));
        expect(historyProblems(request(messages))).toEqual([]);
        prefixes += 1;
        if (journal[end]?.kind !== 'model-asked') continue;
        // Append-only: what was once sent is the beginning of all that is sent later.
        expect(messages.slice(0, before.length)).toEqual(before);
        before = messages;
      }
    }),
    { numRuns: 200, seed: 20_261, endOnFailure: true },
  );
  expect(prefixes).toBeGreaterThan(5_000);
});
