import { expect } from 'vitest';
import { allComplete, ends, everyJobEnds, noDeadLetters, oneWitnessRowPerEffect, stateOf } from './checks.ts';
import type { Ending } from './ending.ts';
import type { Run, ServiceName } from './mesh.ts';
import { scenario } from './scenario.ts';
import { book, jobOf } from './specs.ts';

/** Which of several services has something in hand: the one that has claimed last. */
const holderOf = ({ calls }: Run, kind: 'worker' | 'gateway'): ServiceName => {
  const claim = calls.findLast(({ service, call }) => service.startsWith(kind) && call === 'inbox.claim');
  if (claim === undefined) throw new Error(`no ${kind} has claimed anything`);
  return claim.service as ServiceName; // a service's name
};

/** Stops the holder for longer than its lease, and remembers when it went on. */
const stopHolder =
  (kind: 'worker' | 'gateway', woken: { name?: ServiceName; at?: number }) =>
  async (run: Run): Promise<void> => {
    woken.name = holderOf(run, kind);
    run.life(woken.name).stop();
    await run.clock.sleep(30_000);
    run.life(woken.name).go();
    woken.at = run.clock.now();
  };

/** What the woken holder still said of the message that it had lost. */
const saidLate = (
  { calls }: Ending,
  { name, at = 0 }: { name?: ServiceName; at?: number },
): readonly string[] =>
  calls
    .filter((one) => one.service === name && one.at >= at && one.at < at + 1_000)
    .map(({ call }) => call)
    .filter((call) => ['bus.publish', 'delivery.ack', 'delivery.nak', 'delivery.working'].includes(call));

{
  const woken: { name?: ServiceName; at?: number } = {};
  scenario('a worker that wakes up past its lease says nothing more, and the first completion stands', {
    workers: 2,
  })
    .submit(jobOf([{ id: 'sleep', skill: 'debug.sleep', input: { ms: 8_000 } }]))
    .wait(2_000)
    .step(stopHolder('worker', woken))
    .run()
    .expect(everyJobEnds, allComplete, noDeadLetters, (ending) => {
      expect(saidLate(ending, woken)).toEqual([]);
      expect(stateOf(ending).tasks[0]?.worker).toBeDefined();
      expect(ending.jobs.get('job-1')?.events.filter(({ kind }) => kind === 'task-completed').length).toBe(1);
    });
}

{
  const woken: { name?: ServiceName; at?: number } = {};
  scenario('a gateway that wakes up past its lease with a keyed effect before it makes no second row', {
    gateways: 2,
  })
    .submit(jobOf([book('room', 'keyed', { input: { ms: 8_000 } })]))
    .wait(2_000)
    .step(stopHolder('gateway', woken))
    .run()
    .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, (ending) => {
      expect(saidLate(ending, woken)).toEqual([]);
    });
}

scenario('a gateway stopped past its lease with an unsafe effect begun: nobody runs it again', {
  gateways: 2,
})
  .submit(jobOf([book('room', 'unsafe', { input: { ms: 8_000 } })]))
  .wait(2_000)
  .step(stopHolder('gateway', {}))
  .run()
  .expect(everyJobEnds, ends('job-1', 'failed', 'unknown'), ({ witness }) => {
    expect(witness.runs.get('room')).toBe(1);
  });

scenario('a holder that was stopped for less than its lease goes on as if nothing had been', { workers: 2 })
  .submit(jobOf([{ id: 'sleep', skill: 'debug.sleep', input: { ms: 8_000 } }]))
  .wait(2_100)
  .step(async (run) => {
    const name = holderOf(run, 'worker');
    run.life(name).stop();
    await run.clock.sleep(3_000);
    run.life(name).go();
  })
  .run()
  .expect(everyJobEnds, allComplete, ({ calls }) => {
    expect(
      calls.filter(({ service, call }) => service.startsWith('worker') && call === 'inbox.claim').length,
    ).toBe(1);
  });

scenario('a stopped manager comes back to a job that another has ended, and changes nothing', { managers: 2 })
  .submit(jobOf([book('a', 'keyed', { input: { ms: 3_000 } }), book('b', 'keyed', { depends_on: ['a'] })]))
  .wait(1_000)
  .step(async (run) => {
    run.life('manager-1').stop();
    await run.clock.sleep(60_000);
    run.life('manager-1').go();
  })
  .run()
  .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters);
