import type { Json } from '@foldmesh/envelope';
import { historyProblems } from '@foldmesh/models';
import type { ModelRequest } from '@foldmesh/ports';
import { defineTool, ok, type Tool, z } from '@foldmesh/sdk';
import { describe, expect, it } from 'vitest';
import { agentOf, agentTask, answer, call, overheard, plays } from './agents.ts';
import { allComplete, ends, everyJobEnds, noDeadLetters, oneWitnessRowPerEffect, stateOf } from './checks.ts';
import type { Setup } from './mesh.ts';
import { play, scenario, submitJob } from './scenario.ts';
import { jobOf, look } from './specs.ts';

/** Of each of these a tool that says just that. */
const outputs: { readonly [name: string]: Json } = {
  text: '',
  blank: ' \n\t ',
  null: null,
  list: [],
  wide: ' '.repeat(20_000),
  zero: 0,
  no: false,
  object: {},
};
const lab: readonly Tool[] = Object.entries(outputs).map(([name, output]) =>
  defineTool({
    name: `lab.${name}`,
    effect: 'read',
    input: z.strictObject({}),
    run: async () => ok(output),
  }),
);
const asked = (...names: readonly string[]): Json => ({
  calls: names.map((name) => ({ name: `lab.${name}`, input: {} })),
});
const labTools = lab.map(({ name }) => name);

const resultsIn = (request: ModelRequest | undefined): readonly (readonly [string, string, boolean])[] =>
  (request?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? [[message.name, message.text, message.failed] as const] : [],
  );

describe('C072: a turn that says nothing, and a tool that returns nothing', () => {
  const script: Json = [
    asked('text', 'list'),
    asked('null', 'blank', 'wide', 'zero', 'no', 'object'),
    {},
    { calls: [call('witness.keyed', 'hotel')] },
    { text: ' \n\t ' },
    { reasoning: [{ type: 'thinking', thinking: '', signature: 'c2ln' }] },
    { text: ' ', calls: [call('witness.keyed', 'train')] },
    answer(2),
  ];

  it('leave a history that no model refuses, and the job completes', async () => {
    const { model, requests } = overheard(plays(script));
    const setup: Setup = { agents: [agentOf({ tools: ['witness.keyed', ...labTools] })], model, tools: lab };
    const job = jobOf([agentTask()], { result: look('tasks.trip.output.booked') });
    const ending = await play(setup, [(run) => submitJob(run, job), (run) => run.clock.sleep(90_000)], 1);
    for (const check of [everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters]) check(ending);
    expect(requests.flatMap(historyProblems)).toEqual([]);
    // Each turn was one request: none had to be asked again.
    expect(requests.length).toBe(8);
    expect(stateOf(ending)).toMatchObject({ model_calls: 8, tool_calls: 10 });
    expect(resultsIn(requests.at(-1))).toEqual([
      ...['lab.text', 'lab.list', 'lab.null', 'lab.blank', 'lab.wide'].map((name) => [
        name,
        '(no output)',
        false,
      ]),
      ['lab.zero', '0', false],
      ['lab.no', 'false', false],
      ['lab.object', '{}', false],
      ['witness.keyed', '{"id":"hotel","says":""}', false],
      ['witness.keyed', '{"id":"train","says":""}', false],
    ]);
  });
});

describe('C072: without a declared answer', () => {
  const { model, requests } = overheard(plays([{ text: ' ' }, { reasoning: 'hm' }, { text: 'To the sea.' }]));

  scenario('only words are the answer, and whoever said none is asked to go on', {
    agents: [agentOf({ answer: undefined })],
    model,
  })
    .submit(jobOf([agentTask()], { result: look('tasks.trip.output') }))
    .run()
    .expect(everyJobEnds, allComplete, noDeadLetters, (ending) => {
      expect(stateOf(ending).tasks[0]?.output).toEqual({ value: 'To the sea.' });
      expect(requests.flatMap(historyProblems)).toEqual([]);
      expect(requests.at(-1)?.messages.map(({ role, text }) => [role, text])).toEqual([
        ['user', '{"to":"the sea"}'],
        ['assistant', '(nothing)'],
        ['user', expect.stringMatching(/^That was not an answer/)],
        ['assistant', '(nothing)'],
        ['user', expect.stringMatching(/^That was not an answer/)],
      ]);
    });
});

describe('C072: a model that has nothing more to say', () => {
  const { model, requests } = overheard(plays([{ text: 'Let me see.' }, {}, { text: '\n' }, {}, answer(1)]));
  scenario('is asked no more often than it may be silent, and the job says why it ended', {
    agents: [agentOf()],
    model,
  })
    .submit(jobOf([agentTask()]))
    .run()
    .expect(everyJobEnds, ends('job-1', 'failed'), noDeadLetters, (ending) => {
      expect(requests.length).toBe(4);
      expect(requests.flatMap(historyProblems)).toEqual([]);
      expect(stateOf(ending).fault?.detail).toMatch(
        /^task \S+ failed: agent \S+, turn 4: the model said nothing in 3 turns in a row; it had last said: Let me see\.$/,
      );
    });
});
