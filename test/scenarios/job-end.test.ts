import { fail, fault, ok } from '@foldmesh/envelope';
import { Script, scriptedModel } from '@foldmesh/models';
import { defineTool, pause, z } from '@foldmesh/sdk';
import { describe, expect, it } from 'vitest';
import { agentOf, agentTask, answer, plays } from './agents.ts';
import { everyJobEnds, noDeadLetters, stateOf } from './checks.ts';
import { command } from './jobs.ts';
import type { Run } from './mesh.ts';
import { play, submitJob } from './scenario.ts';
import { jobOf } from './specs.ts';

const wallMs = 10_000;

/** A tool that ends when it is told to, and what it was told: until when it had, and when that was over. */
const patientDesk = () => {
  const told: { readonly deadline: number; stoppedAt?: number }[] = [];
  let clock: Run['clock'] | undefined;
  const tool = defineTool({
    name: 'desk.wait',
    effect: 'read',
    timeoutMs: 60_000,
    input: z.strictObject({}),
    run: async (_, { deadline, signal }) => {
      const one: (typeof told)[number] = { deadline };
      told.push(one);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      one.stoppedAt = clock?.now() ?? 0;
      return ok(null);
    },
  });
  const opensIn = (run: Run): void => {
    clock = run.clock;
  };
  return { tool, told, opensIn };
};

const ask = defineTool({
  name: 'desk.ask',
  effect: 'read',
  input: z.strictObject({}),
  run: async () => ok(pause('Which way?')),
});

/** Takes long enough for a question to be known to the job. */
const look = defineTool({
  name: 'desk.look',
  effect: 'read',
  input: z.strictObject({}),
  run: async () => fail(fault('throttled', 'later', { retry_after_ms: 500 })),
});

describe('a tool that an agent calls', () => {
  it('has no more time than its job, whatever the time of a group', async () => {
    const desk = patientDesk();
    const agents = [agentOf({ tools: ['desk.wait'] })];
    const model = plays([{ calls: [{ name: 'desk.wait' }] }, answer(0)]);
    const submitted = async (run: Run): Promise<void> => {
      desk.opensIn(run);
      await submitJob(run, jobOf([agentTask()], { budget: { wall_ms: wallMs } }));
      await run.clock.sleep(wallMs / 2);
      // Nobody is there to halt what it has asked for.
      await run.shutDown('manager-1');
      await run.clock.sleep(wallMs);
      await run.start('manager-1');
      await run.clock.sleep(60_000);
    };
    const ending = await play({ agents, model, tools: [desk.tool] }, [submitted], 1);
    for (const check of [everyJobEnds, noDeadLetters]) check(ending);
    const { accepted_at, end_reason } = stateOf(ending);
    expect(end_reason).toBe('deadline');
    const until = accepted_at + wallMs;
    expect(desk.told).toEqual([{ deadline: until, stoppedAt: until }]);
  });

  it('keeps that of its group while a person is waited for, when the time of the job stands still', async () => {
    const desk = patientDesk();
    const asker = agentOf({ tools: ['desk.ask'] });
    const waiter = agentOf({ name: 'waiter', model: 'scripted/waiter', tools: ['desk.look', 'desk.wait'] });
    const parts = {
      part: [{ calls: [{ name: 'desk.ask' }] }],
      waiter: [{ calls: [{ name: 'desk.look' }] }, { calls: [{ name: 'desk.wait' }] }],
    };
    const model = scriptedModel(
      new Map(Object.entries(parts).map(([name, turns]) => [`scripted/${name}`, Script.parse({ turns })])),
    );
    const submitted = async (run: Run): Promise<void> => {
      desk.opensIn(run);
      const tasks = [agentTask(), { ...agentTask('other'), agent: 'waiter' }];
      await submitJob(run, jobOf(tasks, { split: 'always', budget: { wall_ms: wallMs } }));
      await run.clock.sleep(2 * wallMs);
      await command(run, 'job-1', { type: 'job.cancel', payload: { reason: 'seen enough' } }, 'cancel');
      await run.clock.sleep(60_000);
    };
    const setup = { agents: [asker, waiter], model, tools: [desk.tool, ask, look] };
    const ending = await play(setup, [submitted], 1);
    for (const check of [everyJobEnds, noDeadLetters]) check(ending);
    const until = stateOf(ending).accepted_at + wallMs;
    expect(desk.told).toHaveLength(1);
    expect(desk.told[0]?.deadline).toBeGreaterThan(until);
    expect(desk.told[0]?.stoppedAt).toBeGreaterThan(until + wallMs - 1);
  });
});
