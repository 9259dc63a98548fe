import type { Sealed } from '@foldmesh/envelope';
import { expect } from 'vitest';
import {
  allComplete,
  ends,
  everyJobEnds,
  noDeadLetters,
  oneWitnessRowPerEffect,
  stateOf,
  unsafeOnceOrUnknown,
} from './checks.ts';
import { tell } from './jobs.ts';
import type { Run } from './mesh.ts';
import { publish, rawMessage } from './raw.ts';
import { scenario } from './scenario.ts';
import { book, jobOf } from './specs.ts';

const call = (run: Run, id: string, raw: Parameters<typeof rawMessage>[3] = {}): Sealed =>
  rawMessage(
    run,
    'tool.call',
    { tool: 'witness.unsafe', input: { id, ms: 100 } },
    { replyTo: 'caller', ...raw },
  );

scenario('fifty copies of one envelope come to five handlers in the same instant: one runs', { gateways: 5 })
  .step(async (run) => {
    // One message lies on a subject at a time, and the attempt ends the subject: so these are fifty messages of one key.
    for (let round = 0; round < 10; round++) {
      const copies = Array.from({ length: 50 }, (_, n) =>
        call(run, `effect-${round}`, { step: String(round), attempt: n + 1, deadlineMs: 300_000 }),
      );
      await Promise.all(copies.map((copy) => publish(run, copy)));
      await run.clock.sleep(500);
    }
    await run.clock.sleep(120_000);
  })
  .run()
  .expect(noDeadLetters, ({ witness, backlog }) => {
    expect(witness.runs.size).toBe(10);
    expect([...witness.runs.values()]).toEqual(Array(10).fill(1));
    expect([witness.rows.length, backlog]).toEqual([10, 0]);
  });

scenario(
  'a copy that comes after the duplicate window, and one that comes much later, answer from the stored result',
)
  .step(async (run) => {
    const first = call(run, 'effect', { deadlineMs: 600_000 });
    expect(await publish(run, first)).toBe(false);
    await run.clock.sleep(5_000);
    expect(await publish(run, first)).toBe(true);
    await run.clock.sleep(20_000);
    expect(await publish(run, first)).toBe(false);
    await run.clock.sleep(500_000);
    expect(await publish(run, first)).toBe(false);
    await run.clock.sleep(200_000);
    // Past its deadline, and the record of what may not happen twice is still there.
    expect(await publish(run, first)).toBe(false);
  })
  .run()
  .expect(noDeadLetters, ({ witness, backlog }) => {
    expect([witness.runs.get('effect'), backlog]).toEqual([1, 0]);
  });

scenario('a failure that says later is not remembered as done, one that is final is')
  .step(async (run) => {
    run.witness.befall('later', 'fail-before-commit', 'fail-before-commit', 'fail-before-commit');
    await publish(run, call(run, 'later', { step: '1' }));
    await run.clock.sleep(10_000);
    expect(run.witness.runs.get('later')).toBe(3);
    await publish(run, call(run, 'later', { step: '1', attempt: 2 }));
    run.witness.befall('unknown', 'commit-then-drop-reply');
    for (const attempt of [1, 2, 3]) {
      await publish(run, call(run, 'unknown', { step: '2', attempt }));
      await run.clock.sleep(3_000);
    }
  })
  .run()
  .expect(noDeadLetters, ({ witness }) => {
    expect([witness.runs.get('later'), witness.rowsOf('later').length]).toEqual([4, 1]);
    expect([witness.runs.get('unknown'), witness.rowsOf('unknown').length]).toEqual([1, 1]);
  });

scenario('the inbox is emptied in mid-job: what may be asked twice is done, once', {
  workers: 2,
  gateways: 2,
})
  .submit(
    jobOf(
      [
        ...['a', 'b', 'c'].map((id) => book(id, 'keyed', { input: { ms: 3_000 } })),
        book('d', 'idempotent', { depends_on: ['a'] }),
      ],
      { split: 'always' },
    ),
  )
  .wait(1_500)
  .step(async (run) => run.doors.forgetAll())
  .run()
  .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters);

scenario('the inbox is emptied under an unsafe effect: it is not run again, and the job says so', {
  gateways: 2,
})
  .submit(jobOf([book('room', 'unsafe', { input: { ms: 3_000 }, retry: { attempts: 5 } })]))
  .wait(1_500)
  .step(async (run) => run.doors.forgetAll())
  .run()
  .expect(everyJobEnds, ends('job-1', 'failed', 'unknown'), ({ witness }) => {
    expect(witness.runs.get('room')).toBe(1);
  });

scenario('the inbox is emptied between two attempts: the second does not repeat what the first has done', {
  skills: [],
})
  .submit(
    jobOf(
      [
        {
          id: 'two',
          pipeline: [
            {
              kind: 'tool_call',
              ref: 'witness.unsafe',
              input_mapping: { id: { value: 'done' } },
              output_keys: ['a'],
            },
            {
              kind: 'tool_call',
              ref: 'witness.unsafe',
              input_mapping: { id: { value: 'later' } },
              output_keys: ['b'],
            },
          ],
          retry: { attempts: 5 },
        },
      ],
      { split: 'always' },
    ),
  )
  .step(async (run) => {
    run.witness.befall('later', ...Array<'fail-before-commit'>(3).fill('fail-before-commit'));
    while ((run.witness.runs.get('later') ?? 0) < 3) await run.clock.sleep(10);
    await run.clock.sleep(50);
    run.doors.forgetAll();
  })
  .run()
  .expect(everyJobEnds, unsafeOnceOrUnknown, ends('job-1', 'failed', 'unknown'), ({ witness }) => {
    expect(witness.runs.get('done')).toBe(1);
  });

scenario('an unsafe call that was never asked before the store was emptied is simply run')
  .step(async (run) => run.doors.forgetAll())
  .submit(jobOf([book('room', 'unsafe')]))
  .run()
  .expect(everyJobEnds, allComplete, ({ witness }) => expect(witness.rowsOf('room').length).toBe(1));

/** A settle for a task of this job as a worker would send it. */
const settleFor = (run: Run, job: string, attempt: number, value: string): Sealed => {
  const message = rawMessage(
    run,
    'task.settle',
    {
      results: [
        {
          key: rawKeyOf(run, job),
          attempt,
          outcome: { kind: 'done', output: { value } },
          worker: 'late',
          started_at: 1,
          ended_at: 2,
        },
      ],
    },
    { job, task: 'a', step: '2', attempt, epoch: 5 },
  );
  return message;
};

const rawKeyOf = (run: Run, job: string) =>
  rawMessage(run, 'job.halt', {}, { job, task: 'a', step: '2' }).headers.key;

scenario('results that come late, for another attempt or for a job that has ended, change nothing')
  .submit(jobOf([{ id: 'a', skill: 'debug.echo', input: 'right' }]), 'done')
  .submit(jobOf([{ id: 'a', skill: 'debug.sleep', input: { ms: 60_000 } }]), 'gone')
  .wait(2_000)
  .cancel('gone')
  .wait(20_000)
  .step(async (run) => {
    const before = [(await tell(run, 'done')).events.length, (await tell(run, 'gone')).events.length];
    for (const job of ['done', 'gone'])
      for (const attempt of [1, 2, 7])
        expect(await publish(run, settleFor(run, job, attempt, 'late'))).toBe(false);
    await run.clock.sleep(5_000);
    expect([(await tell(run, 'done')).events.length, (await tell(run, 'gone')).events.length]).toEqual(
      before,
    );
  })
  .run()
  .expect(everyJobEnds, noDeadLetters, ends('done', 'completed'), ends('gone', 'cancelled'), (ending) => {
    expect(stateOf(ending, 'done').tasks[0]?.output).toEqual({ value: 'right' });
  });

scenario('a result of an attempt that was given up does not count for the one under way')
  .submit(
    jobOf([
      { id: 'a', skill: 'debug.fail', input: { fault: 'unavailable', times: 1 }, retry: { attempts: 3 } },
    ]),
  )
  .wait(100)
  .step(async (run) => {
    expect((await tell(run, 'job-1')).state.tasks[0]?.attempt).toBe(2);
    await publish(run, settleFor(run, 'job-1', 1, 'stale'));
  })
  .run()
  .expect(everyJobEnds, allComplete, (ending) => {
    expect(stateOf(ending).tasks[0]?.output).toEqual({ value: { attempt: 2 } });
  });
