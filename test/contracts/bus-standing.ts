import type { Queue } from '@foldmesh/envelope';
import { expect } from 'vitest';
import { next, publishCalls, takenAll } from './bus-hands.ts';
import { type Bench, got, promise, type Rig, soon } from './rig.ts';

export const standings = (rig: Rig<'bus'>): void => {
  promise(
    rig,
    'what nobody was given waits, and all that was given and not acked is in hand',
    async (bench) => {
      const standing = () => standingOf(bench);
      expect(await standing()).toMatchObject({ waiting: 0, in_hand: 0, pulls: 0 });
      await publishCalls(bench, 3);
      expect(await standing()).toMatchObject({ waiting: 3, in_hand: 0 });
      const held = await next(bench);
      expect(await standing()).toMatchObject({ waiting: 2, in_hand: 1 });
      got(await held.nak(bench.ackWaitMs));
      expect(await standing()).toMatchObject({ waiting: 2, in_hand: 1 });
      got(await held.nak(0));
      expect(await standing()).toMatchObject({ waiting: 2, in_hand: 1 });
      const [again] = await takenAll(bench, bench.make.gateway, 3);
      expect(await standing()).toMatchObject({ waiting: 0, in_hand: 3 });
      got(await (again ?? held).ack());
      await soon(bench, async () => expect(await standing()).toMatchObject({ waiting: 0, in_hand: 2 }));
    },
  );

  promise(rig, 'a pull is seen for as long as it waits, and none after it', async (bench) => {
    const { bus } = bench.ports;
    await using subscription = got(await bus.subscribe(bench.make.gateway));
    expect(await standingOf(bench)).toMatchObject({ pulls: 0 });
    const giveUp = new AbortController();
    const pulling = subscription.pull(2, giveUp.signal);
    await soon(bench, async () => expect((await standingOf(bench)).pulls).toBeGreaterThan(0));
    giveUp.abort();
    expect(await pulling).toEqual([]);
    await soon(bench, async () => expect(await standingOf(bench)).toMatchObject({ pulls: 0 }));
  });

  promise(rig, 'a queue has a place, takes what comes, and is not paused', async (bench) => {
    const { place, closed, paused_until } = await standingOf(bench);
    expect(place).toContain(bench.make.gateway.pool);
    expect([closed, paused_until]).toEqual([undefined, undefined]);
  });
};

const standingOf = async ({ ports, make }: Bench<'bus'>) => got(await ports.bus.standing(make.gateway));

/** Whoever operates a broker may pause a queue; how that is done is no promise of the port. */
export type PauseQueue = (queue: Queue, until: number) => Promise<void> | void;

/** What a pause does, told on every bus that can be paused. */
export const tellOfPause = async (bench: Bench<'bus'>, pause: PauseQueue): Promise<void> => {
  const { bus, clock } = bench.ports;
  const { gateway } = bench.make;
  await publishCalls(bench, 1);
  const held = await next(bench);
  const until = clock.now() + 3 * bench.ackWaitMs;
  await pause(gateway, until);
  got(await bus.publish(bench.make.toolCall(2)));
  const stands = got(await bus.standing(gateway));
  expect(stands).toMatchObject({ waiting: 1, in_hand: 1 });
  expect(Math.abs((stands.paused_until ?? 0) - until)).toBeLessThanOrEqual(bench.slackMs);
  // Neither what is new, nor what was given before and comes again: who waits already is served when it ends.
  const waiting = next(bench, 3 * bench.ackWaitMs + bench.patienceMs);
  await bench.advance(bench.ackWaitMs + bench.slackMs);
  // What was in hand can be acked all the while.
  got(await held.ack());
  const second = await waiting;
  expect(second.subject).toBe(bench.make.toolCall(2).subject);
  expect(clock.now()).toBeGreaterThanOrEqual(until - bench.slackMs);
  // Or it would come again, before what is published next, where the broker is slow to say how it stands.
  got(await second.ack());
  await soon(bench, async () => expect(got(await bus.standing(gateway)).paused_until).toBeUndefined());
  await pause(gateway, clock.now() + 100 * bench.ackWaitMs);
  await pause(gateway, 0);
  got(await bus.publish(bench.make.toolCall(3)));
  expect((await next(bench)).subject).toBe(bench.make.toolCall(3).subject);
};
