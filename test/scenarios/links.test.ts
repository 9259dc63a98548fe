import { expect } from 'vitest';
import { allComplete, died, everyJobEnds, noDeadLetters, oneWitnessRowPerEffect, stateOf } from './checks.ts';
import type { Run } from './mesh.ts';
import { scenario } from './scenario.ts';
import { book, jobOf } from './specs.ts';

const all = ['bus', 'journal', 'inbox', 'blobs', 'index', 'dead', 'memory'];
const twenty = Array.from({ length: 20 }, (_, index) =>
  book(`room-${index}`, 'keyed', { input: { ms: 500 } }),
);

const cut =
  (name: string, ports: readonly string[], how: 'out' | 'back', ms: number) =>
  async ({ net, clock }: Run): Promise<void> => {
    net.cut(name, ports, how);
    await clock.sleep(ms);
    net.mend(name, ports);
  };

for (const how of ['out', 'back'] as const)
  scenario(`C015: a worker that cannot reach the dedup store (${how}) spoils nothing: the others do it all`, {
    workers: 2,
    slots: 2,
  })
    .submit(jobOf(twenty, { split: 'always' }))
    .step(({ net }) => Promise.resolve(net.cut('worker-1', ['inbox'], how)))
    .run()
    .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters, (ending) => {
      const workers = new Set(stateOf(ending).tasks.map(({ worker }) => worker));
      expect(workers.size).toBe(1);
    });

for (const how of ['out', 'back'] as const)
  scenario(
    `C065: a worker that is cut off from everything (${how}) in the midst of a task says nothing more of it`,
    {
      workers: 2,
      slots: 1,
    },
  )
    .submit(jobOf([book('room', 'keyed', { input: { ms: 8_000 } })]))
    .wait(2_000)
    .step(async (run) => {
      const claim = run.calls.findLast(
        ({ service, call }) => service.startsWith('worker') && call === 'inbox.claim',
      );
      if (claim === undefined) throw new Error('no worker has claimed anything');
      await cut(claim.service, all, how, 40_000)(run);
    })
    .run()
    .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters, ({ jobs }) => {
      const completed = jobs.get('job-1')?.events.filter(({ kind }) => kind === 'task-completed');
      expect(completed?.length).toBe(1);
    });

for (const service of ['manager-1', 'worker-1', 'gateway-1'])
  scenario(`C016: replies to what ${service} publishes and acks are lost, for longer than it asks again`)
    .step(({ net }) => Promise.resolve(net.cut(service, ['bus'], 'back')))
    .submit(jobOf([book('room', 'unsafe')]))
    .wait(5_000)
    .step(({ net }) => Promise.resolve(net.heal()))
    .run()
    .expect(everyJobEnds, allComplete, noDeadLetters, ({ witness, jobs }) => {
      expect(witness.runs.get('room')).toBe(1);
      const events = jobs.get('job-1')?.events.map(({ kind }) => kind) ?? [];
      expect(events.filter((kind) => kind === 'job-accepted' || kind === 'task-completed').length).toBe(2);
    });

scenario('C041: clocks five seconds apart, one of which jumps: nothing runs twice, and all of it once', {
  workers: 2,
  gateways: 2,
  managers: 2,
})
  .step(async ({ net }) => {
    net.setAhead('worker-1', 2_500);
    net.setAhead('worker-2', -2_500);
    net.setAhead('gateway-1', -2_500);
    net.setAhead('manager-2', 2_500);
  })
  .submit(jobOf(twenty, { split: 'always' }))
  .wait(300)
  .step(async ({ net }) => net.setAhead('gateway-2', 2_500))
  .run()
  .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters, died(), ({ witness }) => {
    expect([...witness.runs.values()]).toEqual(Array(20).fill(1));
  });

scenario(
  'C039: the dedup store fails over to a replica that lacks its last two seconds, while twenty tasks run',
  {
    stores: { replicaLagMs: 2_000 },
    workers: 2,
  },
)
  .submit(jobOf([...twenty, book('once', 'unsafe', { input: { ms: 15_000 } })], { split: 'always' }))
  .wait(3_000)
  .step(async ({ doors }) => doors.failOver())
  .run()
  .expect(everyJobEnds, (ending) => {
    const { witness } = ending;
    for (let index = 0; index < 20; index++) expect(witness.rowsOf(`room-${index}`).length).toBe(1);
    expect(witness.rowsOf('once').length).toBeLessThanOrEqual(1);
    const { status, end_reason } = stateOf(ending);
    expect([status, end_reason]).toEqual(
      status === 'completed' ? ['completed', 'goal'] : ['failed', 'unknown'],
    );
  });
