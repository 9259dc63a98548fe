import { describe, expect } from 'vitest';
import { allComplete, everyJobEnds, noDeadLetters, oneWitnessRowPerEffect } from './checks.ts';
import type { Check } from './ending.ts';
import type { Run, ServiceName, Setup } from './mesh.ts';
import { publish, rawKey, rawMessage } from './raw.ts';
import { scenario } from './scenario.ts';
import { book, jobOf } from './specs.ts';

type Kind = 'worker' | 'gateway';

/** A broker that takes a message for lost long before its holder's lease has run out: so a copy comes while it is at work. */
const hasty: Setup = { workers: 2, gateways: 2, stores: { ackWaitMs: 1_000 } };
const heldMs = 10_000;
const job = jobOf([book('room', 'keyed', { input: { ms: heldMs } })]);

/** What the services of a kind did with their messages, in order: here they have one and the same. */
const doings = ({ calls }: Pick<Run, 'calls'>, kind: Kind) =>
  calls.filter(
    ({ service, call }) =>
      service.startsWith(kind) &&
      ['inbox.claim', 'inbox.complete', 'delivery.ack', 'delivery.nak'].includes(call),
  );

const countOf = (from: Pick<Run, 'calls'>, kind: Kind, name: string): number =>
  doings(from, kind).filter(({ call }) => call === name).length;

/** Kills whoever has claimed it first, once copies have come and have been given back. */
const killHolder =
  (kind: Kind) =>
  async (run: Run): Promise<void> => {
    const until = run.clock.now() + heldMs;
    while (run.clock.now() < until && countOf(run, kind, 'delivery.nak') < 2) await run.clock.sleep(100);
    const [claim] = doings(run, kind);
    expect(countOf(run, kind, 'delivery.nak'), 'copies that were given back').toBe(2);
    if (claim === undefined) throw new Error(`no ${kind} has claimed anything`);
    run.life(claim.service as ServiceName).kill(); // a service's name
  };

const completedOnce: Check = ({ jobs }) => {
  const events = jobs.get('job-1')?.events ?? [];
  expect(events.filter(({ kind }) => kind === 'task-completed')).toHaveLength(1);
};

describe('C036: a copy comes while the first is at work', () => {
  for (const kind of ['worker', 'gateway'] as const) {
    scenario(`at a ${kind}: it is given back until the first has finished, and nothing runs twice`, hasty)
      .submit(job)
      .run()
      .expect(everyJobEnds, allComplete, noDeadLetters, oneWitnessRowPerEffect, completedOnce, (ending) => {
        expect(ending.witness.runs.get('room')).toBe(1);
        expect(countOf(ending, kind, 'delivery.nak'), 'copies that were given back').toBeGreaterThan(1);
        expect(countOf(ending, kind, 'inbox.complete')).toBe(1);
        // Nobody has acked before the one that held it was done.
        const done = doings(ending, kind).findIndex(({ call }) => call === 'inbox.complete');
        const acked = doings(ending, kind).findIndex(({ call }) => call === 'delivery.ack');
        expect(acked).toBeGreaterThan(done);
      });

    scenario(`at a ${kind}: when the first is killed it runs, and there is one completed execution`, hasty)
      .submit(job)
      .step(killHolder(kind))
      .run()
      .expect(everyJobEnds, allComplete, noDeadLetters, oneWitnessRowPerEffect, completedOnce, (ending) => {
        const [first] = doings(ending, kind);
        expect(ending.deaths).toEqual([first?.service]);
        const completed = doings(ending, kind).filter(({ call }) => call === 'inbox.complete');
        expect(completed.map(({ service }) => service)).not.toContain(first?.service);
        expect(completed).toHaveLength(1);
        // A worker's copy finds the call under way where the first has left it; a gateway's runs it itself.
        expect(ending.witness.runs.get('room')).toBe(kind === 'worker' ? 1 : 2);
      });
  }

  scenario('a second message of the same task waits, and is then answered from the result', { workers: 2 })
    .step(async (run) => {
      const of = { task: 'held', step: '2', deadlineMs: 300_000 };
      const part = {
        key: rawKey(run, of),
        run: { kind: 'tool' as const, name: 'witness.keyed' },
        input: { id: 'room', ms: heldMs },
      };
      const message = (attempt: number) =>
        rawMessage(run, 'task.assign', { tasks: [part] }, { ...of, attempt });
      await publish(run, message(1));
      await run.clock.sleep(2_000);
      // A subject holds one message, and ends in the attempt.
      await publish(run, message(2));
      await run.clock.sleep(2_000);
      expect([countOf(run, 'worker', 'delivery.nak'), countOf(run, 'worker', 'delivery.ack')]).toEqual([
        1, 0,
      ]);
      await run.clock.sleep(60_000);
    })
    .run()
    .expect(noDeadLetters, oneWitnessRowPerEffect, (ending) => {
      expect(ending.witness.runs.get('room')).toBe(1);
      expect(countOf(ending, 'worker', 'inbox.complete')).toBe(1);
      expect(countOf(ending, 'worker', 'delivery.ack')).toBe(2);
      expect(ending.backlog).toBe(0);
    });
});
