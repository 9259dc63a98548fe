import { seededRandom } from '@foldmesh/embedded';
import { describe, expect } from 'vitest';
import {
  allComplete,
  ends,
  everyJobEnds,
  noDeadLetters,
  oneWitnessRowPerEffect,
  stateOf,
  unsafeOnceOrUnknown,
} from './checks.ts';
import type { Check } from './ending.ts';
import { mild, safeJob, trip, unsafeJob } from './faulty.ts';
import type { Run, ServiceName } from './mesh.ts';
import { scenario } from './scenario.ts';
import { book, jobOf } from './specs.ts';

const retry = { attempts: 5 };
const restartMs = 1_000;

scenario('a worker dies after the tool ran and before it said so', { workers: 2 })
  .submit(jobOf([book('room')]))
  .crash('worker', { at: 'inbox.complete', when: 'before', of: 'task.assign' })
  .run()
  .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters, ({ witness }) => {
    // The worker's re-run was answered from what the first run had stored.
    expect(witness.runs.get('room')).toBe(1);
  });

for (const effect of ['read', 'idempotent', 'keyed'] as const)
  scenario(`a gateway dies when a tool that is ${effect} has run: it runs again, and there is one row`, {
    gateways: 2,
  })
    .submit(jobOf([book('room', effect)]))
    .crash('gateway', { at: 'tool-ran' })
    .run()
    .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters, ({ witness }) => {
      expect(witness.runs.get('room')).toBe(2);
    });

scenario('a gateway dies when an unsafe tool has run: it never runs again, and the job says so', {
  gateways: 2,
})
  .submit(jobOf([book('room', 'unsafe', { retry })]))
  .crash('gateway', { at: 'tool-ran' })
  .run()
  .expect(everyJobEnds, ends('job-1', 'failed', 'unknown'), (ending) => {
    expect(ending.witness.runs.get('room')).toBe(1);
    const [task] = stateOf(ending).tasks;
    expect([task?.status, task?.open?.call]).toEqual(['unknown', 'witness.unsafe {"id":"room"}']);
  });

scenario('a gateway dies before an unsafe effect has left: it is run by the next', { gateways: 2 })
  .submit(jobOf([book('room', 'unsafe')]))
  .crash('gateway', { at: 'inbox.start', when: 'before' })
  .run()
  .expect(everyJobEnds, allComplete, ({ witness }) => expect(witness.rowsOf('room').length).toBe(1));

describe('a service dies at any of its port calls and is started anew', () => {
  const calls: Readonly<Record<'manager' | 'worker' | 'gateway', readonly string[]>> = {
    manager: ['inbox.generation', 'journal.append', 'bus.publish', 'index.put', 'delivery.ack'],
    worker: [
      'inbox.claim',
      'bus.publish',
      'inbox.complete',
      'inbox.renew',
      'delivery.working',
      'delivery.ack',
    ],
    gateway: [
      'inbox.claim',
      'inbox.start',
      'inbox.complete',
      'inbox.renew',
      'delivery.working',
      'delivery.ack',
    ],
  };
  for (const [service, points] of Object.entries(calls))
    for (const at of points)
      for (const when of ['before', 'after'] as const)
        scenario(`${service}, ${when} ${at}`, { restartMs })
          .submit(
            jobOf(
              [
                book('keyed', 'keyed', { input: { ms: 3_000 } }),
                book('again', 'idempotent', { depends_on: ['keyed'] }),
              ],
              { split: 'always' },
            ),
          )
          .submit(jobOf([book('unsafe', 'unsafe', { input: { ms: 3_000 } })]))
          .crash(service, { at, when })
          .crash(service, { at, when })
          .run()
          .expect(
            everyJobEnds,
            ends('job-1', 'completed'),
            unsafeOnceOrUnknown,
            noDeadLetters,
            ({ witness, deaths }) => {
              expect(deaths.length).toBeGreaterThan(0);
              expect([witness.rowsOf('keyed').length, witness.rowsOf('again').length]).toEqual([1, 1]);
            },
          );
});

/** Kills one service after another, or has it stand still for a while, at moments that the seed says. */
const disturb = async (run: Run): Promise<void> => {
  const random = seededRandom(`${run.seed}/disturbances`);
  const draw = (below: number): number => Math.floor(random.float() * below);
  const names: readonly ServiceName[] = [
    'manager-1',
    'manager-2',
    'worker-1',
    'worker-2',
    'gateway-1',
    'gateway-2',
  ];
  for (let times = 0; times < 10; times++) {
    await run.clock.sleep(draw(6_000));
    const life = run.life(names[draw(names.length)] as ServiceName); // in range
    if (random.float() < 0.5) life.kill();
    else {
      life.stop();
      await run.clock.sleep(draw(10_000));
      life.go();
    }
  }
};

/** With bad luck a call strikes out; then the job says so, and nothing else may have gone wrong. */
const completeUnlessStruck: Check = (ending) => {
  expect(ending.deaths.length).toBeGreaterThan(0);
  if (ending.letters.length === 0) return allComplete(ending);
  for (const { state } of ending.jobs.values())
    if (state.status !== 'completed') expect(state.fault?.detail).toContain('struck out');
};

const setup = { workers: 2, managers: 2, gateways: 2, restartMs, skills: [trip] };
const long = jobOf(
  [
    ...['a', 'b', 'c', 'd'].map((id) => book(id, 'keyed', { retry, input: { ms: 4_000 } })),
    book('e', 'idempotent', { retry, depends_on: ['a', 'b'], input: { ms: 4_000 } }),
    book('f', 'read', { retry, depends_on: ['c', 'e'], input: { ms: 4_000 } }),
  ],
  { split: 'always' },
);

describe('services die and stand still at random moments', () => {
  for (const [name, faults] of [
    ['on stores that work', {}],
    ['on stores that fail as well', mild],
  ] as const) {
    scenario(`${name}: what may be asked twice happens once`, { ...setup, faults })
      .seeds(12)
      .submit(long)
      .submit(safeJob('x'))
      .step(disturb)
      .run()
      .expect(everyJobEnds, completeUnlessStruck, ({ witness }) => {
        for (const id of witness.runs.keys()) expect(witness.rowsOf(id).length).toBeLessThanOrEqual(1);
      });

    scenario(`${name}: what may not be asked twice is done once, or said to be unknown`, { ...setup, faults })
      .seeds(12)
      .submit(unsafeJob)
      .step(disturb)
      .run()
      .expect(everyJobEnds, (ending) => {
        for (const { id } of ending.witness.rows.filter(({ effect }) => effect === 'unsafe'))
          expect(ending.witness.rowsOf(id).length).toBe(1);
        if (ending.letters.length === 0) unsafeOnceOrUnknown(ending);
      });
  }
});
