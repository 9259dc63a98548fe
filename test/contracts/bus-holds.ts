import { expect } from 'vitest';
import { atOnce, due, isSilent, moment, next, publishCalls, unacked } from './bus-hands.ts';
import { type Bench, got, promise, type Rig, soon } from './rig.ts';

export const holding = (rig: Rig<'bus'>): void => {
  promise(rig, 'an acked message is gone', async (bench) => {
    await publishCalls(bench, 1);
    got(await (await next(bench)).ack());
    await isGone(bench);
    expect(await isSilent(bench, bench.ackWaitMs + bench.slackMs)).toBe(true);
  });

  promise(rig, 'nobody else gets a message while it is held', async (bench) => {
    await publishCalls(bench, 1);
    const since = moment(bench);
    await next(bench);
    const others = [due(bench, since, bench.ackWaitMs), due(bench, since, bench.ackWaitMs)];
    got(await (await Promise.race(others)).nak(0));
    for (const other of await Promise.all(others)) expect(other.redelivered).toBe(true);
  });

  promise(
    rig,
    'what was delivered and never acked comes back after the ack wait, and says so',
    async (bench) => {
      await publishCalls(bench, 1);
      const since = moment(bench);
      const first = await next(bench);
      const second = await due(bench, since, bench.ackWaitMs);
      expect(second.subject).toBe(first.subject);
      expect([first.redelivered, second.redelivered]).toEqual([false, true]);
    },
  );

  promise(rig, 'working holds a message for another ack wait', async (bench) => {
    await publishCalls(bench, 1);
    const held = await next(bench);
    let since = moment(bench);
    for (let beat = 0; beat < 8; beat++) {
      expect(await isSilent(bench, bench.ackWaitMs / 4)).toBe(true);
      since = moment(bench);
      got(await held.working());
    }
    expect((await due(bench, since, bench.ackWaitMs)).redelivered).toBe(true);
  });

  promise(rig, 'a late ack deletes the message under its new holder', async (bench) => {
    await publishCalls(bench, 1);
    const late = await next(bench);
    const holder = await nextHolder(bench);
    got(await late.ack());
    await isGone(bench);
    got(await holder.nak(0));
    expect(await isSilent(bench, bench.ackWaitMs + bench.slackMs)).toBe(true);
  });

  promise(rig, 'a late working keeps the message of a dead new holder from coming back', async (bench) => {
    await publishCalls(bench, 1);
    const late = await next(bench);
    await nextHolder(bench);
    await bench.advance(bench.ackWaitMs / 2);
    const since = moment(bench);
    got(await late.working());
    await due(bench, since, bench.ackWaitMs);
  });

  promise(rig, 'a late nak gives the message to a third, while its new holder works on it', async (bench) => {
    await publishCalls(bench, 1);
    const late = await next(bench);
    await nextHolder(bench);
    got(await late.nak(0));
    expect((await atOnce(bench)).redelivered).toBe(true);
  });

  promise(rig, 'a nak without delay brings the message back at once', async (bench) => {
    await publishCalls(bench, 1);
    got(await (await next(bench)).nak(0));
    expect((await atOnce(bench)).redelivered).toBe(true);
  });

  promise(
    rig,
    'a nak with a delay keeps the message back for that long, and longer than the ack wait if it says so',
    async (bench) => {
      await publishCalls(bench, 1);
      const delayMs = 2 * bench.ackWaitMs;
      const held = await next(bench);
      const since = moment(bench);
      got(await held.nak(delayMs));
      expect(await unacked(bench.ports.bus, bench.make.gateway)).toBe(1);
      expect((await due(bench, since, delayMs)).redelivered).toBe(true);
    },
  );

  promise(rig, 'a message given back with a delay can still be acked', async (bench) => {
    await publishCalls(bench, 1);
    const held = await next(bench);
    got(await held.nak(bench.ackWaitMs));
    got(await held.ack());
    expect(await isSilent(bench, bench.ackWaitMs + bench.slackMs)).toBe(true);
  });

  promise(
    rig,
    'working on what was given back with a delay changes the delay into an ack wait',
    async (bench) => {
      await publishCalls(bench, 1);
      const held = await next(bench);
      got(await held.nak(longDelayMs(bench)));
      const since = moment(bench);
      got(await held.working());
      await due(bench, since, bench.ackWaitMs);
    },
  );

  promise(
    rig,
    'a nak with a delay keeps back even what waits to be delivered again, and a later one counts',
    async (bench) => {
      await publishCalls(bench, 1);
      const held = await next(bench);
      got(await held.nak(0));
      got(await held.nak(longDelayMs(bench)));
      const since = moment(bench);
      got(await held.nak(bench.ackWaitMs));
      await due(bench, since, bench.ackWaitMs);
    },
  );

  promise(rig, 'working does not keep back what waits to be delivered again', async (bench) => {
    await publishCalls(bench, 1);
    const held = await next(bench);
    got(await held.nak(0));
    got(await held.working());
    await atOnce(bench);
  });

  promise(rig, 'who waits already gets what is given back as soon as it is due', async (bench) => {
    await publishCalls(bench, 2);
    await next(bench);
    const held = await next(bench);
    const waiting = next(bench, bench.ackWaitMs + bench.patienceMs);
    await bench.advance(bench.slackMs);
    const since = moment(bench);
    const delayMs = Math.ceil(bench.ackWaitMs / 4);
    got(await held.nak(delayMs));
    expect((await waiting).subject).toBe(held.subject);
    const tookMs = moment(bench) - since;
    expect(tookMs).toBeGreaterThanOrEqual(delayMs - bench.slackMs);
    // Long before the hold ends that began before it.
    expect(tookMs).toBeLessThanOrEqual(delayMs + Math.min(bench.patienceMs, bench.ackWaitMs / 2));
  });

  promise(rig, 'what comes back goes ahead of what is new', async (bench) => {
    await publishCalls(bench, 3);
    const first = await next(bench);
    got(await first.nak(0));
    expect((await next(bench)).subject).toBe(first.subject);
  });

  promise(rig, 'an ack of what is gone is answered and changes nothing', async (bench) => {
    await publishCalls(bench, 1);
    const held = await next(bench);
    got(await held.ack());
    await isGone(bench);
    got(await bench.ports.bus.publish(bench.make.toolCall(1, { epoch: 1 })));
    for (const late of [held.ack, held.working, () => held.nak(0), () => held.nak(1)]) got(await late());
    expect(await unacked(bench.ports.bus, bench.make.gateway)).toBe(1);
    expect((await next(bench)).redelivered).toBe(false);
    expect(await isSilent(bench, bench.slackMs)).toBe(true);
  });

  promise(rig, 'a message may come back without limit', async (bench) => {
    await publishCalls(bench, 1);
    for (let round = 0; round < 30; round++) got(await (await next(bench)).nak(0));
    expect((await atOnce(bench)).redelivered).toBe(true);
  });

  promise(rig, 'the backlog counts what waits, what is held and what is kept back', async (bench) => {
    await publishCalls(bench, 3);
    await next(bench);
    got(await (await next(bench)).nak(bench.ackWaitMs));
    expect(await unacked(bench.ports.bus, bench.make.gateway)).toBe(3);
  });
};

/** Whoever gets it when the hold of the first is over. */
const nextHolder = (bench: Bench<'bus'>) => next(bench, bench.ackWaitMs + bench.patienceMs);

/** So long that what comes earlier than this comes for another reason, however late it is. */
const longDelayMs = (bench: Bench<'bus'>): number => 100 * bench.ackWaitMs;

const isGone = (bench: Bench<'bus'>): Promise<void> =>
  soon(bench, async () => expect(await unacked(bench.ports.bus, bench.make.gateway)).toBe(0));
