import { expect } from 'vitest';
import {
  allComplete,
  ends,
  everyJobEnds,
  noDeadLetters,
  oneWitnessRowPerEffect,
  unsafeOnceOrUnknown,
} from './checks.ts';
import type { Run, ServiceName } from './mesh.ts';
import { scenario, submitJob } from './scenario.ts';
import { book, jobOf } from './specs.ts';

const small = (n: number) => jobOf([book(`effect-${n}`, 'keyed', { input: { ms: 400 } })]);

/** Submits without a pause while every service in turn gets its SIGTERM and is started anew. */
const deployUnderLoad = async (run: Run): Promise<void> => {
  let deploying = true;
  let submitted = 0;
  const load = async (): Promise<void> => {
    while (deploying) {
      await submitJob(run, small(submitted++));
      await run.clock.sleep(100);
    }
  };
  const deploy = async (): Promise<void> => {
    for (let round = 0; round < 2; round++)
      for (const name of [
        'worker-1',
        'gateway-1',
        'manager-1',
        'worker-2',
        'gateway-2',
        'manager-2',
      ] as const) {
        await run.clock.sleep(700);
        // Shorter than a task takes: what is in hand is handed back.
        await run.shutDown(name, round === 0 ? 100 : 5_000);
        await run.start(name);
      }
    deploying = false;
  };
  await Promise.all([load(), deploy()]);
};

scenario(
  'services are replaced one after the other under load: nothing is lost, and nothing acked without effect',
  {
    workers: 2,
    gateways: 2,
    managers: 2,
  },
)
  .step(deployUnderLoad)
  .run()
  .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters, ({ jobs, witness }) => {
    expect(jobs.size).toBeGreaterThan(50);
    expect(witness.rows.length).toBe(jobs.size);
  });

scenario('work in hand is finished when there is time for it', { workers: 2 })
  .submit(jobOf([{ id: 'a', skill: 'debug.sleep', input: { ms: 3_000 } }]))
  .wait(1_000)
  .step((run) => run.shutDown(holder(run), 5_000))
  .run()
  .expect(everyJobEnds, allComplete, ({ calls }) => {
    expect(calls.filter(({ call }) => call === 'delivery.nak').length).toBe(0);
  });

scenario('work in hand is handed back when there is not, and costs neither an attempt nor a strike', {
  workers: 2,
})
  .submit(jobOf([{ id: 'a', skill: 'debug.sleep', input: { ms: 30_000 } }]))
  .wait(1_000)
  .step((run) => run.shutDown(holder(run), 500))
  .run()
  .expect(everyJobEnds, allComplete, noDeadLetters, ({ jobs, calls }) => {
    const state = jobs.get('job-1')?.state;
    expect([state?.tasks[0]?.attempt, state?.tasks[0]?.failures]).toEqual([1, 0]);
    expect(calls.filter(({ call }) => call === 'delivery.nak').length).toBe(1);
    // At once, by somebody else: not after a lease.
    expect((state?.ended_at ?? 0) - (state?.accepted_at ?? 0)).toBeLessThan(34_000);
  });

scenario('an unsafe effect that has begun is never handed back', { gateways: 2 })
  .submit(jobOf([book('room', 'unsafe', { input: { ms: 20_000 }, retry: { attempts: 3 } })]))
  .wait(2_000)
  .step((run) => run.shutDown(holder(run, 'gateway'), 500))
  .run()
  .expect(everyJobEnds, ends('job-1', 'failed', 'unknown'), unsafeOnceOrUnknown, ({ witness }) => {
    expect(witness.runs.get('room')).toBe(1);
  });

scenario('a bundle that is shut down says what is done and leaves the rest', { workers: 2 })
  .submit(
    jobOf(
      [
        book('first', 'keyed', { input: { ms: 1_000 } }),
        book('second', 'keyed', { input: { ms: 3_000 } }),
        book('third', 'keyed', { input: { ms: 1_000 } }),
      ],
      { split: 'never' },
    ),
  )
  .wait(2_000)
  .step((run) => run.shutDown(holder(run), 5_000))
  .run()
  .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, ({ jobs, witness }) => {
    expect([...witness.runs.values()]).toEqual([1, 1, 1]);
    expect(jobs.get('job-1')?.events.map(({ kind }) => kind)).toContain('assignment-ended');
  });

const holder = ({ calls }: Run, kind: 'worker' | 'gateway' = 'worker'): ServiceName => {
  const claim = calls.findLast(({ service, call }) => service.startsWith(kind) && call === 'inbox.claim');
  return (claim?.service ?? `${kind}-1`) as ServiceName; // a service's name
};
