import { expect } from 'vitest';
import { allComplete, died, everyJobEnds, noDeadLetters, oneWitnessRowPerEffect, stateOf } from './checks.ts';
import type { Run } from './mesh.ts';
import { scenario, submitJob } from './scenario.ts';
import { book, jobOf, look } from './specs.ts';

/** Two assignments, one after the other: a tool and a skill do not travel together. */
const chain = jobOf([book('a'), { id: 'b', skill: 'debug.echo', input: look('tasks.a.output') }]);

scenario('a manager dies between the append and the publish: the next one publishes', { restartMs: 1_000 })
  .submit(chain)
  .crash('manager', { at: 'journal.append', when: 'after', times: 3 })
  .run()
  .expect(
    everyJobEnds,
    allComplete,
    oneWitnessRowPerEffect,
    noDeadLetters,
    died('manager-1', 'manager-1', 'manager-1'),
    (ending) => {
      const { accepted_at, ended_at = 0 } = stateOf(ending);
      // By the envelope that comes again, not by the sweep that would find it later: each time an ack wait, and another
      // because the dead one's pull still takes it once.
      expect(ended_at - accepted_at).toBeLessThan(31_000);
      // Each turn was appended once, whoever took it.
      expect(ending.jobs.get('job-1')?.events.filter(({ kind }) => kind === 'tasks-assigned').length).toBe(2);
    },
  );

scenario('a manager dies after the publish and before it has told the index: its job is known all the same', {
  restartMs: 1_000,
})
  .submit(chain)
  .crash('manager', { at: 'index.put', when: 'before', times: 2 })
  .run()
  .expect(everyJobEnds, allComplete, died('manager-1', 'manager-1'));

/** Many jobs that all end at once, each with a merge of two. */
const submitMany = async (run: Run): Promise<void> => {
  for (let n = 0; n < 20; n++)
    await submitJob(
      run,
      jobOf(
        [
          book(`left-${n}`, 'keyed', { input: { ms: 1_000 } }),
          book(`right-${n}`, 'keyed', { input: { ms: 1_000 } }),
          {
            id: 'merge',
            tool: 'witness.keyed',
            input: {
              id: `merge-${n}`,
              note: [look(`tasks.left-${n}.output.id`), look(`tasks.right-${n}.output.id`)],
            },
          },
        ],
        { split: 'always' },
      ),
    );
};

scenario('two managers see the last two results together: one merge for each job', {
  managers: 2,
  workers: 2,
  slots: 40,
  faults: { repeat: 0.3, conflictOwn: 0.2, slow: 0.2 },
})
  .seeds(3)
  .step(submitMany)
  .run()
  .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters, ({ jobs, witness }) => {
    expect(jobs.size).toBe(20);
    for (let n = 0; n < 20; n++) expect(witness.runs.get(`merge-${n}`)).toBe(1);
  });

scenario('everybody dies in mid-job with a retry to come, and is started anew: the job goes on', {
  restartMs: 5_000,
})
  .submit(
    jobOf(
      [
        {
          id: 'again',
          skill: 'debug.fail',
          input: { fault: 'unavailable', times: 2 },
          retry: { attempts: 5 },
        },
        book('behind', 'keyed', { depends_on: ['again'] }),
      ],
      { split: 'always' },
    ),
  )
  .wait(300)
  .step(async (run) => {
    for (const name of ['manager-1', 'worker-1', 'gateway-1'] as const) run.life(name).kill();
  })
  .run()
  .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, (ending) => {
    expect(stateOf(ending).tasks[0]?.attempt).toBe(3);
  });

scenario('a deadline that falls due while nobody lives is kept when somebody does', {})
  .submit(jobOf([{ id: 'a', skill: 'debug.sleep', input: { ms: 100_000 } }], { budget: { wall_ms: 20_000 } }))
  .wait(1_000)
  .step(async (run) => {
    for (const name of ['manager-1', 'worker-1', 'gateway-1'] as const) run.life(name).kill();
    await run.clock.sleep(60_000);
    await run.startAll();
  })
  .run()
  .expect(everyJobEnds, (ending) => {
    const state = stateOf(ending);
    expect([state.status, state.end_reason]).toEqual(['failed', 'deadline']);
  });

scenario('an assignment that vanished from its queue is sent again under the next epoch')
  .step((run) => run.shutDown('worker-1'))
  .submit(jobOf([book('room')]))
  .wait(1_000)
  .step(async (run) => {
    const purged = await run.ports.bus.purge(run.tenant, run.jobId('job-1'));
    expect(purged.ok && purged.value).toBe(1);
    await run.start('worker-1');
  })
  .run()
  .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, (ending) => {
    const { accepted_at, ended_at = 0 } = stateOf(ending);
    expect(ended_at - accepted_at).toBeLessThan(40_000);
  });
