import type { Json } from '@foldmesh/envelope';
import { historyProblems } from '@foldmesh/models';
import { defineTool, ok, z } from '@foldmesh/sdk';
import { describe, expect, it } from 'vitest';
import { agentOf, agentTask, answer, call, overheard, plays } from './agents.ts';
import { type AskApi, apiOf } from './api.ts';
import { allComplete, ends, everyJobEnds, noDeadLetters, oneWitnessRowPerEffect, stateOf } from './checks.ts';
import type { Run, Setup } from './mesh.ts';
import { play, scenario, submitJob } from './scenario.ts';
import { jobOf, look } from './specs.ts';

/** Names that nobody offers, most of them close to one that this agent may call. */
const madeUp: readonly string[] = [
  'witness.keyd',
  'Witness.Keyed',
  'witness_keyed',
  'witness.keyed ',
  'witness.keyed\n',
  'witness.keyed\nwitness.read',
  'keyed',
  '',
  'n'.repeat(300),
  'größe\u0000',
  '\ud83d',
  '__proto__',
  'constructor',
];
/** Names that the mesh offers and this agent may not call; the last would end its run. */
const notAllowed: readonly string[] = ['witness.unsafe', 'witness.idempotent', 'memory.write', 'trip.close'];
const strange = [...madeUp, ...notAllowed];

const refusal = 'there is no tool of this name; you may call: witness.keyed, witness.read, answer';
const strangely = (name: string, index: number): Json => call(name, `never-${index}`, { text: 'a fact' });

const setupOf = (script: Json) => {
  const { model, requests } = overheard(plays(script));
  const close = defineTool({
    name: 'trip.close',
    effect: 'read',
    terminal: true,
    input: z.looseObject({}),
    run: async () => ok(null),
  });
  const agents = [agentOf({ tools: ['witness.keyed', 'witness.read'] })];
  return { setup: { agents, model, tools: [close] } satisfies Setup, requests };
};

const job = jobOf([agentTask()], { result: look('tasks.trip.output.booked') });
const told = (run: Run): Promise<void> => submitJob(run, job);
const quiet = (run: Run): Promise<void> => run.clock.sleep(90_000);

describe('C083: a tool that its agent may not call', () => {
  it('is refused in the same words whether it exists or not, and the run goes on', async () => {
    const { setup, requests } = setupOf([
      { calls: [...strange.map(strangely), call('witness.keyed', 'hotel')] },
      ...strange.map((name, index): Json => ({ calls: [strangely(name, index)] })),
      answer(1),
    ]);
    const ending = await play(setup, [told, quiet], 1);
    for (const check of [everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters]) check(ending);
    // Nothing was executed but what was allowed, whatever resembled it.
    expect([...ending.witness.runs.keys()]).toEqual(['hotel']);
    expect(stateOf(ending)).toMatchObject({ model_calls: strange.length + 2, tool_calls: 1 });
    // And nothing was sent: a gateway hears of the one call, memory of none.
    const claims = (service: string): number =>
      ending.calls.filter((one) => one.service === service && one.call === 'inbox.claim').length;
    expect([claims('gateway-1'), claims('memory-1')]).toEqual([1, 0]);
    const results = requests.at(-1)?.messages.filter((message) => message.role === 'tool') ?? [];
    expect(results.length).toBe(2 * strange.length + 1);
    const refused = results.filter(({ failed }) => failed);
    expect(refused.length).toBe(2 * strange.length);
    expect([...new Set(refused.map(({ text }) => text))]).toEqual([refusal]);
    expect(requests.flatMap(historyProblems)).toEqual([]);
  });

  it('is written down: in the journal of the run, and for whoever watches the mesh', async () => {
    const { setup } = setupOf([{ calls: strange.map(strangely) }, answer(0)]);
    let messages: Json[] = [];
    const look = async (run: Run): Promise<void> => {
      const ask: AskApi = await apiOf(run);
      ({ messages } = JSON.parse(await ask('/v1/jobs/job-1/tasks/trip/messages?limit=100')));
    };
    const { log, jobs } = await play(setup, [told, quiet, look], 1);
    expect(messages.filter((message) => JSON.stringify(message).includes(refusal)).length).toBe(
      strange.length,
    );
    const lines = log.filter(({ message }) => message === 'refused a tool that an agent may not call');
    const offered = lines.filter(({ fields }) => fields['offered'] === true);
    expect(lines.length).toBe(strange.length);
    expect(offered.map(({ level, fields }) => [level, fields['tool']])).toEqual(
      notAllowed.map((name) => ['warn', name]),
    );
    const trace_id = jobs.get('job-1')?.state.trace_id;
    for (const { fields } of lines)
      expect(fields).toMatchObject({
        trace_id,
        agent: 'traveller',
        key: expect.stringMatching(/^acme\/job-1\/trip\/1\/\d+\/0$/),
      });
    // What a model makes up is as long as it likes; a line is not.
    expect(lines.every((line) => JSON.stringify(line).length < 500)).toBe(true);
  });
});

describe('C083: a model that only makes names up', () => {
  const { setup, requests } = setupOf(Array(10).fill({ calls: [call('witness.keyd', 'never')] }));

  scenario('is told so until its turns are used up, and the job says that', {
    ...setup,
    agents: [agentOf({ tools: ['witness.keyed', 'witness.read'], limits: { turns: 6 } })],
  })
    .submit(job)
    .run()
    .expect(everyJobEnds, ends('job-1', 'failed'), noDeadLetters, (ending) => {
      expect(requests.length).toBe(6);
      expect(ending.witness.runs.size).toBe(0);
      expect(stateOf(ending).fault?.detail).toContain('agent traveller, turn 6: no answer within 6 turns');
    });
});
