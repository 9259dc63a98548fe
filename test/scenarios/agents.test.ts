import { type Json, TaskId } from '@foldmesh/envelope';
import { Agent, type RunEvent, readRunEvent, runFold } from '@foldmesh/run';
import { eventsOf, load, readEntry } from '@foldmesh/runtime';
import { defineAgent } from '@foldmesh/sdk';
import { yamlText } from '@foldmesh/system';
import { describe, expect, it } from 'vitest';
import { agentOf, agentTask, answer, call, plays } from './agents.ts';
import { allComplete, everyJobEnds, noDeadLetters, oneWitnessRowPerEffect, sound } from './checks.ts';
import type { Run, Setup } from './mesh.ts';
import { play, scenario, submitJob } from './scenario.ts';
import { jobOf, look } from './specs.ts';

const job = jobOf([agentTask()], { result: look('tasks.trip.output.booked') });

/** Ten steps: calls one after the other, two side by side, and the answer. */
const tenSteps: Json = [
  ...[1, 2, 3, 4].map((n): Json => ({ calls: [call('witness.keyed', `leg-${n}`)] })),
  { text: 'Now both at once.', calls: [call('witness.keyed', 'hotel'), call('witness.read', 'weather')] },
  ...[5, 6, 7, 8].map((n): Json => ({ calls: [call('witness.idempotent', `leg-${n}`)] })),
  answer(9),
];

/** The events of the agent's run in the order of its journal. */
const runEventsOf = async ({ ports, tenant, jobId }: Run): Promise<readonly RunEvent[]> => {
  const entity = { tenant, job: jobId('job-1'), run: { task: TaskId.parse('trip'), round: 1 } };
  const read = await ports.journal.read(entity, 1, 10_000);
  if (!read.ok) throw new Error(read.fault.detail);
  const events: RunEvent[] = [];
  for (const recorded of read.value) {
    const stored = await eventsOf(ports, entity, readEntry(recorded));
    if (stored.ok) events.push(...stored.value.map(readRunEvent));
  }
  return events;
};

const submitted = (run: Run): Promise<void> => submitJob(run, job);
const untilItEnds = async (run: Run): Promise<void> => {
  for (let left = 20_000; left > 0; left--) {
    const loaded = await load(run.ports, runFold, {
      tenant: run.tenant,
      job: run.jobId('job-1'),
      run: { task: TaskId.parse('trip'), round: 1 },
    });
    if (loaded.ok && loaded.value.state.end !== undefined) break;
    await run.clock.sleep(250);
  }
  await run.clock.sleep(90_000);
};

scenario('an agent goes through its part, and its answer is the result', {
  agents: [agentOf()],
  model: plays(tenSteps),
})
  .submit(job)
  .run()
  .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters, ({ jobs, witness }) => {
    expect([...witness.runs.values()]).toEqual(Array(10).fill(1));
    expect(jobs.get('job-1')?.state).toMatchObject({ model_calls: 10, tool_calls: 10 });
  });

describe('an agent whose worker dies at any of its port calls', () => {
  const setup: Setup = { agents: [agentOf()], model: plays(tenSteps), restartMs: 1_000 };

  // A death that has not come by then would come while everything is shut down.
  const safe = async (run: Run): Promise<void> => run.fates.forget();

  it('ends the same, with each side effect once', { timeout: 300_000 }, async () => {
    const whole = await play(setup, [submitted, untilItEnds], 1);
    const calls = whole.calls.filter(({ service }) => service === 'worker-1').length;
    expect(calls).toBeGreaterThan(200);
    let died = 0;
    // Every port call of the run; those of the quiet time behind it are of no run.
    for (let nth = 1; nth <= calls; nth++) {
      const when = nth % 2 === 0 ? 'before' : 'after';
      const crash = async (run: Run): Promise<void> => run.fates.add('worker', { at: '*', nth, when });
      const ending = await play(setup, [crash, submitted, untilItEnds, safe], 1);
      died += ending.deaths.length;
      for (const check of [sound, allComplete, oneWitnessRowPerEffect]) check(ending);
      expect(ending.jobs.get('job-1')?.state, `call ${nth}`).toMatchObject({ model_calls: 10 });
      if (ending.deaths.length === 0) break;
    }
    expect(died).toBeGreaterThan(150);
  });
});

describe('an agent as data and as code', () => {
  const yaml = `
name: traveller
instructions: Book the trip, step by step.
model: scripted/part
tools: [witness.keyed, witness.read, witness.idempotent, witness.unsafe]
answer: { type: object, properties: { booked: { type: integer } }, required: [booked] }
`;

  const jsonOf = (text: string): Json => {
    const parsed = yamlText(text, 'traveller.yaml');
    if ('problems' in parsed) throw new Error(parsed.problems.join('; '));
    return parsed.value;
  };

  it('gives the same run, event for event', async () => {
    const journals: (readonly RunEvent[])[] = [];
    for (const agent of [Agent.parse(jsonOf(yaml)), defineAgent(agentOf()).agent]) {
      const keep = async (run: Run): Promise<void> => void journals.push(await runEventsOf(run));
      await play({ agents: [agent], model: plays(tenSteps) }, [submitted, untilItEnds, keep], 7);
    }
    expect(journals[0]?.length).toBeGreaterThan(30);
    expect(journals[0]).toEqual(journals[1]);
  });
});

describe('a group of calls', () => {
  const three: Json = [
    { calls: [1, 2, 3].map((n) => call('witness.read', `look-${n}`, { ms: 2_000 })) },
    answer(3),
  ];
  const took = async (parallel: number): Promise<number> => {
    const setup = { agents: [agentOf({ limits: { parallel } })], model: plays(three) };
    const { jobs } = await play(setup, [submitted, untilItEnds], 3);
    const { state } = jobs.get('job-1') ?? {};
    return (state?.ended_at ?? 0) - (state?.accepted_at ?? 0);
  };

  it('of three equal tools is at least 2.3 times as fast as one after the other', async () => {
    expect((await took(1)) / (await took(3))).toBeGreaterThan(2.3);
  });
});

describe('a group with a call that never comes back', () => {
  const script: Json = [
    { calls: [call('witness.read', 'soon'), call('witness.read', 'never', { ms: 3_600_000 })] },
    { when: 'no answer', ...(answer(1) as object) },
  ];

  it('goes on when its own deadline has passed, and the other call keeps its result', async () => {
    const setup: Setup = {
      agents: [agentOf({ limits: { group_ms: 10_000 } })],
      model: plays(script),
      toolTimeoutMs: 7_200_000,
    };
    const { jobs, witness } = await play(setup, [submitted, untilItEnds], 9);
    const { state } = jobs.get('job-1') ?? {};
    expect(state?.status).toBe('completed');
    expect((state?.ended_at ?? 0) - (state?.accepted_at ?? 0)).toBeLessThan(20_000);
    expect(witness.rowsOf('soon').length).toBe(1);
  });
});

describe('loading a run', () => {
  const steps = (count: number): Json => [
    ...Array.from({ length: count - 1 }, (_, n): Json => ({ calls: [call('witness.read', `look-${n}`)] })),
    answer(count),
  ];

  it('of a thousand steps takes at most 1.2 times as long as one of fifty', {
    timeout: 300_000,
  }, async () => {
    const loads: (() => Promise<number>)[] = [];
    for (const count of [50, 1_000]) {
      const measure = async (run: Run): Promise<void> => {
        const entity = {
          tenant: run.tenant,
          job: run.jobId('job-1'),
          run: { task: TaskId.parse('trip'), round: 1 },
        };
        loads.push(async () => {
          const began = performance.now();
          for (let time = 0; time < 50; time++) await load(run.ports, runFold, entity);
          return performance.now() - began;
        });
        const loaded = await load(run.ports, runFold, entity);
        expect(loaded.ok && loaded.value.state).toMatchObject({ status: 'completed', model_calls: count });
      };
      const setup = { agents: [agentOf({ limits: { turns: 1_000 } })], model: plays(steps(count)) };
      await play(setup, [submitted, untilItEnds, measure], 5);
    }
    // The least of several rounds in turn: whatever else the machine does only adds.
    const [few, many] = loads;
    let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < 5 || (most / least > 1.2 && round < 40); round++) {
      least = Math.min(least, (await few?.()) ?? 0);
      most = Math.min(most, (await many?.()) ?? 0);
    }
    expect(most / least).toBeLessThanOrEqual(1.2);
  });
});
