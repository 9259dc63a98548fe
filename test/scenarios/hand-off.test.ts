import { seededRandom } from '@foldmesh/embedded';
import type { Json } from '@foldmesh/envelope';
import { Script, scriptedModel } from '@foldmesh/models';
import type { ModelRequest } from '@foldmesh/ports';
import { describe, expect } from 'vitest';
import { agentOf, answer, call, overheard } from './agents.ts';
import { allComplete, everyJobEnds, noDeadLetters, oneWitnessRowPerEffect } from './checks.ts';
import { scenario } from './scenario.ts';
import { jobOf, look } from './specs.ts';

/** Nobody can have guessed them. */
const random = seededRandom('hand-off');
const [goalWord, resultWord, inputWord] = [random.hex(8), random.hex(8), random.hex(8)];

const parts: { readonly [name: string]: Json } = {
  // What it says and does on its way is its own affair.
  draw: [
    { text: 'chatter of the one before', calls: [call('witness.read', 'look-before')] },
    { calls: [{ name: 'answer', input: { word: resultWord } }] },
  ],
  aside: [
    { text: 'chatter of the one beside', calls: [call('witness.read', 'look-beside')] },
    { calls: [{ name: 'answer', input: { word: 'result of the one beside' } }] },
  ],
  book: [{ calls: [call('witness.keyed', 'room')] }, answer(1)],
};

const word = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
const agents = [
  agentOf({ name: 'drawer', model: 'scripted/draw', instructions: 'Draw a word.', answer: word }),
  agentOf({ name: 'bystander', model: 'scripted/aside', instructions: 'Do something else.', answer: word }),
  agentOf({
    model: 'scripted/book',
    tools: ['witness.keyed'],
    limits: { turns: 7, parallel: 3, group_ms: 45_000 },
  }),
];

const overheardParts = () =>
  overheard(
    scriptedModel(
      new Map(Object.entries(parts).map(([name, turns]) => [`scripted/${name}`, Script.parse({ turns })])),
    ),
  );

/** Two tasks side by side, and one that goes on from the first. */
const job = (booking: { readonly [field: string]: Json }): Json =>
  jobOf(
    [
      { id: 'before', agent: 'drawer', input: 'draw' },
      { id: 'beside', agent: 'bystander', input: 'meanwhile' },
      { id: 'trip', agent: 'traveller', ...booking },
    ],
    {
      goal: `A journey that ${goalWord} will like.`,
      inputs: { budget: inputWord },
      budget: { wall_ms: 90_000 },
      split: 'always',
    },
  );

const firstOf = (requests: readonly ModelRequest[]): ModelRequest => {
  const first = requests.find(({ model }) => model === 'scripted/book');
  if (first === undefined) throw new Error('it was never asked');
  return first;
};

const knowsItsTask = (request: ModelRequest): void => {
  const { instructions, messages, tools } = request;
  expect(instructions).toContain('Book the trip, step by step.');
  expect(instructions).toContain(`The job's goal: A journey that ${goalWord} will like.`);
  expect(instructions).toContain(
    'Your limits: 7 turns, your answer among them; 3 calls side by side in a turn, 45 s for all of them; 90 s for the whole job.',
  );
  expect(messages).toEqual([{ role: 'user', text: expect.stringContaining(resultWord) }]);
  expect(tools.map(({ name }) => name)).toEqual(['witness.keyed', 'answer']);
  // Nothing of what others said on their way, and nothing that is not its business.
  expect(JSON.stringify(request)).not.toMatch(/chatter|beside|Draw a word|look-before/);
  expect(JSON.stringify(request).length).toBeLessThan(4_000);
};

describe('C059: the first that the model of a task is asked', () => {
  const asked = overheardParts();
  scenario('holds the goal, what the task before it made, its own instructions and its limits', {
    agents,
    model: asked.model,
  })
    .submit(job({ input: { for: look('inputs.budget'), word: look('tasks.before.output.word') } }))
    .run()
    .expect(everyJobEnds, allComplete, noDeadLetters, oneWitnessRowPerEffect, () => {
      knowsItsTask(firstOf(asked.requests));
      expect(firstOf(asked.requests).messages[0]?.text).toBe(
        JSON.stringify({ for: inputWord, word: resultWord }),
      );
    });

  const handed = overheardParts();
  scenario('holds them also where the plan names what it waits for and gives no input', {
    agents,
    model: handed.model,
  })
    .submit(job({ depends_on: ['before'] }))
    .run()
    .expect(everyJobEnds, allComplete, noDeadLetters, () => {
      knowsItsTask(firstOf(handed.requests));
      expect(firstOf(handed.requests).messages[0]?.text).toBe(
        JSON.stringify({ inputs: { budget: inputWord }, results: { before: { word: resultWord } } }),
      );
    });
});
