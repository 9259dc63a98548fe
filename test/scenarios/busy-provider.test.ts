import { fail, fault } from '@foldmesh/envelope';
import type { Model } from '@foldmesh/ports';
import { defineTool, z } from '@foldmesh/sdk';
import { describe, expect, it } from 'vitest';
import { agentOf, agentTask, answer, overheard, plays } from './agents.ts';
import { allComplete, everyJobEnds, noDeadLetters } from './checks.ts';
import type { Run } from './mesh.ts';
import { play, submitJob } from './scenario.ts';
import { jobOf } from './specs.ts';

const perSecond = 4;
const laterMs = 5_000;

/** An account that lets so many requests a second in, and tells all others the same time to come back at. */
const limitedAccount = () => {
  const served = plays([answer(1)]);
  const arrivals: number[] = [];
  const letIn: number[] = [];
  let clock: Run['clock'] | undefined;
  const model: Model = {
    async reply(...asked) {
      const now = clock?.now() ?? 0;
      arrivals.push(now);
      if (letIn.filter((at) => now - at < 1_000).length >= perSecond)
        return fail(fault('throttled', '429', { source: 'model', retry_after_ms: laterMs }));
      letIn.push(now);
      return served.reply(...asked);
    },
  };
  const opensIn = (run: Run): void => {
    clock = run.clock;
  };
  return { model, arrivals, letIn, opensIn };
};

describe('C078: many that one account has told to come back at the same second', () => {
  it.each([1, 2, 3])('come back after it, at moments of their own, and all are served (%i)', async (seed) => {
    const account = limitedAccount();
    const tasks = Array.from({ length: 20 }, (_, n) => ({
      ...agentTask(`trip-${n}`),
      retry: { attempts: 9 },
    }));
    const setup = { agents: [agentOf()], model: account.model, workers: 2, slots: 16 };
    const begin = async (run: Run): Promise<void> => {
      account.opensIn(run);
      await submitJob(run, jobOf(tasks, { split: 'always' }));
      await run.clock.sleep(300_000);
    };
    const ending = await play(setup, [begin], seed);
    for (const check of [everyJobEnds, allComplete, noDeadLetters]) check(ending);
    const [first = 0] = account.arrivals;
    const early = account.arrivals.filter((at) => at > first + 1_000 && at < first + laterMs);
    expect(early).toEqual([]);
    const back = account.arrivals.filter((at) => at >= first + laterMs);
    expect(back.length).toBeGreaterThanOrEqual(20 - perSecond);
    for (const from of back)
      expect(back.filter((at) => at >= from && at < from + 250).length).toBeLessThanOrEqual(perSecond);
    expect(account.letIn).toHaveLength(20);
  });
});

describe('C067: a tool that wants to be asked later each time', () => {
  it('is asked three times for one call, and its agent goes on with what it said', async () => {
    let asked = 0;
    const busy = defineTool({
      name: 'desk.ask',
      effect: 'read',
      input: z.strictObject({}),
      run: async () => {
        asked += 1;
        return fail(fault('throttled', 'come back later', { retry_after_ms: laterMs }));
      },
    });
    const part = plays([{ calls: [{ name: 'desk.ask' }] }, answer(0)]);
    const { model, requests } = overheard(part);
    const agents = [agentOf({ tools: ['desk.ask'] })];
    const submitted = (run: Run): Promise<void> => submitJob(run, jobOf([agentTask()]));
    const quiet = (run: Run): Promise<void> => run.clock.sleep(120_000);
    const ending = await play({ agents, model, tools: [busy] }, [submitted, quiet], 1);
    for (const check of [everyJobEnds, allComplete, noDeadLetters]) check(ending);
    expect(asked).toBe(3);
    expect(requests.at(-1)?.messages.at(-1)).toMatchObject({
      role: 'tool',
      text: expect.stringContaining('come back later'),
      failed: true,
    });
  });
});
