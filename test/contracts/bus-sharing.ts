import type { Delivery } from '@foldmesh/ports';
import { expect } from 'vitest';
import { publishCalls, pullWithin, takenWithin, unacked } from './bus-hands.ts';
import { got, promise, type Rig } from './rig.ts';

export const sharing = (rig: Rig<'bus'>): void => {
  promise(rig, 'a pull waits for the first message', async (bench) => {
    const { bus } = bench.ports;
    await using subscription = got(await bus.subscribe(bench.make.gateway));
    const pulling = pullWithin(bench, subscription, 10, bench.ackWaitMs);
    await bench.advance(bench.slackMs);
    await publishCalls(bench, 1);
    expect(await pulling).toHaveLength(1);
  });

  promise(
    rig,
    'a pull takes what is there, at most as many as it asks for, and waits for no more',
    async (bench) => {
      await publishCalls(bench, 5);
      const at = bench.ports.clock.monotonic();
      expect(await takenWithin(bench, bench.make.gateway, 3, bench.ackWaitMs)).toHaveLength(3);
      expect(await takenWithin(bench, bench.make.gateway, 3, bench.ackWaitMs)).toHaveLength(2);
      expect(bench.ports.clock.monotonic() - at).toBeLessThanOrEqual(2 * bench.slackMs);
    },
  );

  promise(rig, 'what was published first is delivered first', async (bench) => {
    await publishCalls(bench, 20);
    const taken = await takenWithin(bench, bench.make.gateway, 20, bench.slackMs);
    const steps = Array.from({ length: 20 }, (_, at) => bench.make.toolCall(at + 1).subject);
    expect(taken.map((delivery) => delivery.subject)).toEqual(steps);
  });

  promise(rig, 'subscribers of one queue share its messages: each comes to one of them', async (bench) => {
    const { bus } = bench.ports;
    await using one = got(await bus.subscribe(bench.make.gateway));
    await using other = got(await bus.subscribe(bench.make.gateway));
    await publishCalls(bench, 40);
    const shares = await Promise.all([one, other].map((subscription) => takeAll(bench, subscription, 1)));
    const subjects = shares.flat().map((delivery) => delivery.subject);
    expect(new Set(subjects).size).toBe(40);
    expect(subjects).toHaveLength(40);
    for (const share of shares) expect(share.length).toBeGreaterThanOrEqual(10);
  });

  promise(rig, 'a subscriber that asks for much does not starve one that asks for little', async (bench) => {
    const { bus } = bench.ports;
    await using greedy = got(await bus.subscribe(bench.make.gateway));
    await using modest = got(await bus.subscribe(bench.make.gateway));
    const pulls = [
      pullWithin(bench, greedy, 100, bench.ackWaitMs),
      pullWithin(bench, modest, 1, bench.ackWaitMs),
    ];
    await bench.advance(bench.slackMs);
    await publishCalls(bench, 40);
    for (const taken of await Promise.all(pulls)) expect(taken.length).toBeGreaterThanOrEqual(1);
  });

  promise(rig, 'disposing a subscription ends its pull with nothing', async (bench) => {
    const subscription = got(await bench.ports.bus.subscribe(bench.make.gateway));
    const pulling = subscription.pull(1, new AbortController().signal);
    await bench.advance(bench.slackMs);
    await subscription[Symbol.asyncDispose]();
    expect(await pulling).toEqual([]);
    expect(await subscription.pull(1, new AbortController().signal)).toEqual([]);
  });

  promise(
    rig,
    'a signal ends a pull with nothing, before it begins too, and takes no message along',
    async (bench) => {
      await using subscription = got(await bench.ports.bus.subscribe(bench.make.gateway));
      const giveUp = new AbortController();
      const pulling = subscription.pull(1, giveUp.signal);
      await bench.advance(bench.slackMs);
      giveUp.abort();
      expect(await pulling).toEqual([]);
      expect(await subscription.pull(1, giveUp.signal)).toEqual([]);
      await publishCalls(bench, 1);
      expect(await takenWithin(bench, bench.make.gateway, 1, bench.slackMs)).toHaveLength(1);
    },
  );

  promise(rig, 'what a subscriber took along when it went away comes back to another', async (bench) => {
    await publishCalls(bench, 3);
    expect(await takenWithin(bench, bench.make.gateway, 3, bench.slackMs)).toHaveLength(3);
    await bench.advance(bench.ackWaitMs);
    const back = await takenWithin(bench, bench.make.gateway, 3, bench.slackMs);
    expect(back.map((delivery) => delivery.redelivered)).toEqual([true, true, true]);
  });

  promise(rig, 'what was pulled can be acked after its subscription was disposed', async (bench) => {
    await publishCalls(bench, 1);
    for (const delivery of await takenWithin(bench, bench.make.gateway, 1, bench.slackMs))
      got(await delivery.ack());
    expect(await unacked(bench.ports.bus, bench.make.gateway)).toBe(0);
  });
};

const takeAll = async (
  bench: Parameters<typeof pullWithin>[0] & { readonly slackMs: number },
  subscription: Parameters<typeof pullWithin>[1],
  max: number,
): Promise<readonly Delivery[]> => {
  const all: Delivery[] = [];
  for (;;) {
    const taken = await pullWithin(bench, subscription, max, bench.slackMs);
    if (taken.length === 0) return all;
    all.push(...taken);
    for (const delivery of taken) got(await delivery.ack());
  }
};
