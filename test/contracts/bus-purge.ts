import { expect } from 'vitest';
import { isSilent, next, publishCalls, unacked } from './bus-hands.ts';
import { got, promise, type Rig } from './rig.ts';

export const purging = (rig: Rig<'bus'>): void => {
  promise(rig, 'a purge drops the calls of its job and says how many, those in flight too', async (bench) => {
    const { bus } = bench.ports;
    const { make } = bench;
    await publishCalls(bench, 3);
    const held = await next(bench);
    expect(got(await bus.purge(make.tenant, make.job))).toBe(3);
    expect(await unacked(bus, make.gateway)).toBe(0);
    expect(await isSilent(bench, bench.ackWaitMs + bench.slackMs)).toBe(true);
    for (const late of [held.working, () => held.nak(0), held.ack]) got(await late());
    expect(await isSilent(bench, bench.slackMs)).toBe(true);
  });

  promise(rig, 'a purge does not count what was acked before', async (bench) => {
    const { make, ports } = bench;
    await publishCalls(bench, 3);
    got(await (await next(bench)).ack());
    expect(got(await ports.bus.purge(make.tenant, make.job))).toBe(2);
    expect(got(await ports.bus.purge(make.tenant, make.job))).toBe(0);
  });

  promise(rig, 'a purge leaves decisions, the door and the orders of the manager', async (bench) => {
    const { bus } = bench.ports;
    const { make } = bench;
    got(await bus.publish(make.toolSettle(1)));
    got(await bus.publish(make.jobSubmit('c-1')));
    got(await bus.publish(make.jobHalt(2)));
    expect(got(await bus.purge(make.tenant, make.job))).toBe(0);
    for (const queue of [make.worker, make.manager('submit'), make.manager('call')])
      expect(await unacked(bus, queue)).toBe(1);
  });

  promise(rig, 'a purge leaves other jobs, and the same job of another tenant', async (bench) => {
    const { bus } = bench.ports;
    const { make } = bench;
    got(await bus.publish(make.toolCall(1, { job: make.otherJob })));
    got(await bus.publish(make.toolCall(1, { tenant: make.otherTenant })));
    expect(got(await bus.purge(make.tenant, make.job))).toBe(0);
    expect(await unacked(bus, make.gateway)).toBe(2);
  });

  promise(
    rig,
    'the ack of a purged delivery does not touch what came to its subject later',
    async (bench) => {
      const { bus } = bench.ports;
      const { make } = bench;
      got(await bus.publish(make.toolCall(1)));
      const held = await next(bench);
      got(await bus.purge(make.tenant, make.job));
      expect(got(await bus.publish(make.toolCall(1, { epoch: 1 })))).toEqual({ duplicate: false });
      got(await held.ack());
      expect(await unacked(bus, make.gateway)).toBe(1);
    },
  );

  promise(rig, 'a purge forgets no wire id', async (bench) => {
    const { bus } = bench.ports;
    const { make } = bench;
    got(await bus.publish(make.toolCall(1)));
    got(await bus.purge(make.tenant, make.job));
    expect(got(await bus.publish(make.toolCall(1)))).toEqual({ duplicate: true });
  });
};
