import { virtualClock } from '@foldmesh/embedded';
import { ok, type PoolName, type Queue } from '@foldmesh/envelope';
import type { Bus, Delivery, Subscription } from '@foldmesh/ports';
import { expect, it } from 'vitest';
import { claimableBus, storeWatch } from './store-watch.ts';

const never = new AbortController().signal;
const queue = (lane: Queue['lane']): Queue => ({ service: 'worker', pool: 'default' as PoolName, lane });

/** A queue whose one message comes when it is told to; `asked` counts who waits for it. */
const oneQueue = () => {
  const message = {} as Delivery; // nobody looks into it
  let asked = 0;
  let come = Promise.withResolvers<readonly Delivery[]>();
  const subscription: Subscription = {
    pull: async (_, signal) => {
      asked += 1;
      come = Promise.withResolvers();
      signal.addEventListener('abort', () => come.resolve([]), { once: true });
      const taken = await come.promise;
      asked -= 1;
      return taken;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  const bus = { subscribe: async () => ok(subscription) } as unknown as Bus; // nothing else is asked of it
  return { bus, message, asked: () => asked, deliver: () => come.resolve([message]) };
};

it('leaves work in its queue while it cannot be claimed, and takes it up again by itself', async () => {
  const clock = virtualClock();
  let isAway = false;
  const { bus, message, asked, deliver } = oneQueue();
  await using watch = storeWatch(() => isAway, clock);
  const subscribed = await claimableBus(bus, watch).subscribe(queue('call'));
  if (!subscribed.ok) throw new Error(subscribed.fault.detail);
  const pulled = subscribed.value.pull(1, never);
  await clock.settle();
  expect(asked()).toBe(1);
  isAway = true;
  await clock.advance(200);
  expect(asked()).toBe(0);
  isAway = false;
  await clock.advance(200);
  expect(asked()).toBe(1);
  deliver();
  expect(await pulled).toEqual([message]);
});

it('ends a pull that waits for the store when its caller ends', async () => {
  const clock = virtualClock();
  const { bus } = oneQueue();
  await using watch = storeWatch(() => true, clock);
  await clock.advance(200);
  const subscribed = await claimableBus(bus, watch).subscribe(queue('call'));
  if (!subscribed.ok) throw new Error(subscribed.fault.detail);
  const over = new AbortController();
  const pulled = subscribed.value.pull(1, over.signal);
  over.abort();
  expect(await pulled).toEqual([]);
});

it('lets deciders go on, for they claim nothing', async () => {
  const clock = virtualClock();
  const { bus, asked, message, deliver } = oneQueue();
  await using watch = storeWatch(() => true, clock);
  await clock.advance(200);
  const subscribed = await claimableBus(bus, watch).subscribe(queue('decide'));
  if (!subscribed.ok) throw new Error(subscribed.fault.detail);
  const pulled = subscribed.value.pull(1, never);
  await clock.settle();
  expect(asked()).toBe(1);
  deliver();
  expect(await pulled).toEqual([message]);
});
