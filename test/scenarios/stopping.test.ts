import { defineSkill, z } from '@foldmesh/sdk';
import { expect } from 'vitest';
import { ends, everyJobEnds, noDeadLetters, oneWitnessRowPerEffect, stateOf } from './checks.ts';
import { scenario } from './scenario.ts';
import { book, jobOf } from './specs.ts';

const patient = (id: string, ms: number) => ({ id, skill: 'debug.sleep', input: { ms } });

/** Does not listen when it is told to stop. */
const deaf = defineSkill({
  name: 'deaf.wait',
  input: z.strictObject({}),
  run: () => new Promise<never>(() => {}),
});

scenario('a cancel reaches what runs and what is queued, and the receipt names them', { slots: 2 })
  .submit(
    jobOf(
      [
        book('done'),
        ...['a', 'b', 'c', 'd', 'e'].map((id) => ({ ...patient(id, 60_000), depends_on: ['done'] })),
      ],
      { split: 'always' },
    ),
  )
  .wait(2_000)
  .cancel()
  .run()
  .expect(everyJobEnds, ends('job-1', 'cancelled', 'cancelled'), noDeadLetters, (ending) => {
    const { receipt, stopping, ended_at, tasks } = stateOf(ending);
    expect(receipt).toEqual({ completed: 1, stopped: ['a', 'b', 'c', 'd', 'e'], silent: [] });
    expect(tasks.map(({ status }) => status)).toEqual(['completed', ...Array(5).fill('cancelled')]);
    // The slots that come free meet the mark on what was queued, and say so at once.
    expect((ended_at ?? 0) - (stopping?.at ?? 0)).toBeLessThan(1_000);
  });

scenario('a cancel of what is all under way ends the job as soon as everybody has said so')
  .submit(jobOf([patient('a', 60_000), patient('b', 60_000)], { split: 'always' }))
  .wait(2_000)
  .cancel()
  .run()
  .expect(everyJobEnds, ends('job-1', 'cancelled'), (ending) => {
    const { receipt, stopping, ended_at } = stateOf(ending);
    expect(receipt).toEqual({ completed: 0, stopped: ['a', 'b'], silent: [] });
    expect((ended_at ?? 0) - (stopping?.at ?? 0)).toBeLessThan(1_000);
  });

scenario('a cancel whose broadcast is lost is carried by the mark that every renewal reads', {
  faults: { loseCast: 1 },
})
  .submit(jobOf([patient('a', 60_000)]))
  .wait(2_000)
  .cancel()
  .run()
  .expect(everyJobEnds, ends('job-1', 'cancelled'), (ending) => {
    expect(stateOf(ending).receipt).toEqual({ completed: 0, stopped: ['a'], silent: [] });
  });

scenario('who says nothing at all is listed as silent', { workers: 1 })
  .submit(jobOf([patient('a', 60_000), patient('b', 60_000)], { split: 'always' }))
  .wait(2_000)
  .step(async (run) => run.life('worker-1').kill())
  .cancel()
  .run()
  .expect(everyJobEnds, ends('job-1', 'cancelled'), (ending) => {
    expect(stateOf(ending).receipt).toEqual({ completed: 0, stopped: [], silent: ['a', 'b'] });
  });

scenario('a handler that does not listen to its abort does not hold up the end', { skills: [deaf] })
  .submit(jobOf([{ id: 'deaf', skill: 'deaf.wait', input: {} }]))
  .wait(2_000)
  .cancel()
  .run()
  .expect(everyJobEnds, ends('job-1', 'cancelled'), (ending) => {
    expect(stateOf(ending).receipt).toEqual({ completed: 0, stopped: ['deaf'], silent: [] });
  });

scenario('a job that is past its deadline stops, and nothing of it runs on')
  .submit(jobOf([book('in-time'), patient('late', 60_000)], { split: 'always', budget: { wall_ms: 10_000 } }))
  .run()
  .expect(everyJobEnds, ends('job-1', 'failed', 'deadline'), oneWitnessRowPerEffect, (ending) => {
    const { accepted_at, ended_at = 0 } = stateOf(ending);
    expect(ended_at - accepted_at).toBeGreaterThanOrEqual(10_000);
    expect(ended_at - accepted_at).toBeLessThanOrEqual(15_000);
  });

scenario('a task that fails stops its job, and what had not begun is cancelled')
  .submit(
    jobOf(
      [
        { id: 'bad', skill: 'debug.fail', input: { fault: 'refused' } },
        book('never', 'keyed', { depends_on: ['bad'] }),
      ],
      { split: 'always' },
    ),
  )
  .run()
  .expect(everyJobEnds, ends('job-1', 'failed', 'failed'), ({ witness }) => {
    expect(witness.runs.get('never')).toBeUndefined();
  });

scenario('a cancel of a job that nobody has submitted makes no job, and one that comes twice is one')
  .submit(jobOf([patient('a', 60_000)]))
  .cancel('ghost')
  .wait(1_000)
  .cancel()
  .cancel()
  .run()
  .expect(everyJobEnds, ends('job-1', 'cancelled'), noDeadLetters, ({ jobs }) => {
    expect(jobs.get('job-1')?.events.filter(({ kind }) => kind === 'job-stopping').length).toBe(1);
  });

scenario(
  'an unsafe effect under way when its job is cancelled happens at most once, and nobody tries it again',
  {
    gateways: 2,
  },
)
  .submit(jobOf([book('room', 'unsafe', { input: { ms: 10_000 }, retry: { attempts: 3 } })]))
  .wait(3_000)
  .cancel()
  .run()
  .expect(everyJobEnds, ends('job-1', 'cancelled'), ({ witness }) => {
    expect(witness.runs.get('room')).toBe(1);
  });
