import type { Delivery, Subscription } from '@foldmesh/ports';
import { expect } from 'vitest';
import { atOnce, moment, publishCalls, pullWithin, takenAll, takenWithin, unacked } from './bus-hands.ts';
import { got, promise, type Rig, soon } from './rig.ts';

export const sharing = (rig: Rig<'bus'>): void => {
  promise(rig, 'a pull waits for the first message', async (bench) => {
    const { bus } = bench.ports;
    await using subscription = got(await bus.subscribe(bench.make.gateway));
    const pulling = pullWithin(bench, subscription, 10, bench.ackWaitMs + bench.patienceMs);
    await bench.advance(bench.slackMs);
    await publishCalls(bench, 1);
    expect(await pulling).toHaveLength(1);
  });

  promise(
    rig,
    'a pull takes what is there, at most as many as it asks for, and waits for no more',
    async (bench) => {
      await publishCalls(bench, 5);
      const since = moment(bench);
      const counts: number[] = [];
      for (let left = 5; left > 0; left -= counts.at(-1) ?? 0) {
        const taken = await takenWithin(bench, bench.make.gateway, 3, 4 * bench.patienceMs);
        for (const delivery of taken) got(await delivery.ack());
        counts.push(taken.length);
        expect(taken.length).toBeGreaterThan(0);
        expect(taken.length).toBeLessThanOrEqual(3);
      }
      expect(Math.max(...counts)).toBeGreaterThan(1);
      expect(moment(bench) - since).toBeLessThanOrEqual(2 * bench.patienceMs);
    },
  );

  promise(rig, 'what was published first is delivered first', async (bench) => {
    await publishCalls(bench, 20);
    const taken = await takenAll(bench, bench.make.gateway, 20);
    const steps = Array.from({ length: 20 }, (_, at) => bench.make.toolCall(at + 1).subject);
    expect(taken.map((delivery) => delivery.subject)).toEqual(steps);
  });

  promise(rig, 'subscribers of one queue share its messages: each comes to one of them', async (bench) => {
    const { bus } = bench.ports;
    await using one = got(await bus.subscribe(bench.make.gateway));
    await using other = got(await bus.subscribe(bench.make.gateway));
    await publishCalls(bench, 40);
    const shares = await takenByEach([one, other], 40);
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
      pullWithin(bench, greedy, 100, bench.ackWaitMs + bench.patienceMs),
      pullWithin(bench, modest, 1, bench.ackWaitMs + bench.patienceMs),
    ];
    await soon(bench, async () =>
      expect(got(await bus.standing(bench.make.gateway)).pulls).toBeGreaterThanOrEqual(2),
    );
    await publishCalls(bench, 40);
    // Not only what the other has let come back.
    for (const taken of await Promise.all(pulls))
      expect(taken.map(({ redelivered }) => redelivered)).toContain(false);
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
      await atOnce(bench);
    },
  );

  promise(rig, 'what a subscriber took along when it went away comes back to another', async (bench) => {
    await publishCalls(bench, 3);
    await takenAll(bench, bench.make.gateway, 3);
    await bench.advance(bench.ackWaitMs + bench.slackMs);
    const back = await takenAll(bench, bench.make.gateway, 3);
    expect(back.map((delivery) => delivery.redelivered)).toEqual([true, true, true]);
    expect(new Set(back.map((delivery) => delivery.subject)).size).toBe(3);
  });

  promise(rig, 'what was pulled can be acked after its subscription was disposed', async (bench) => {
    await publishCalls(bench, 1);
    for (const delivery of await takenAll(bench, bench.make.gateway, 1)) got(await delivery.ack());
    await soon(bench, async () => expect(await unacked(bench.ports.bus, bench.make.gateway)).toBe(0));
  });
};

/** What each of them gets, one at a time, until `count` have come to all of them together. */
const takenByEach = async (
  subscriptions: readonly Subscription[],
  count: number,
): Promise<readonly (readonly Delivery[])[]> => {
  const over = new AbortController();
  let left = count;
  const takeOne = async (subscription: Subscription): Promise<readonly Delivery[]> => {
    const share: Delivery[] = [];
    while (!over.signal.aborted) {
      const taken = await subscription.pull(1, over.signal);
      for (const delivery of taken) got(await delivery.ack());
      share.push(...taken);
      left -= taken.length;
      if (left <= 0) over.abort();
    }
    return share;
  };
  return Promise.all(subscriptions.map(takeOne));
};
