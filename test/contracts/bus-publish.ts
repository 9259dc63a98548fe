import { decodeUtf8, writeHeaders } from '@foldmesh/envelope';
import { expect } from 'vitest';
import { moment, next, takenWithin, unacked } from './bus-hands.ts';
import { got, promise, type Rig, soon } from './rig.ts';

export const publishing = (rig: Rig<'bus'>): void => {
  promise(rig, 'a message arrives with the headers and the bytes it was published with', async (bench) => {
    const { bus } = bench.ports;
    const message = bench.make.toolCall(1);
    const bytes = message.body.slice();
    const published = bus.publish(message);
    message.body.fill(0);
    expect(got(await published)).toEqual({ duplicate: false });
    const asked = bench.ports.clock.now();
    const delivery = await next(bench);
    expect(delivery.subject).toBe(message.subject);
    expect(delivery.headers).toEqual(writeHeaders(message.headers));
    expect(decodeUtf8(delivery.body)).toEqual(decodeUtf8(bytes));
    expect(delivery.redelivered).toBe(false);
    expect(delivery.received_at).toBeGreaterThanOrEqual(asked);
    expect(delivery.received_at).toBeLessThanOrEqual(bench.ports.clock.now());
  });

  promise(rig, 'what a holder does to its bytes is not seen by the next holder', async (bench) => {
    const message = bench.make.toolCall(1);
    const bytes = message.body.slice();
    got(await bench.ports.bus.publish(message));
    const first = await next(bench);
    first.body.fill(0);
    got(await first.nak(0));
    const second = await next(bench);
    expect(second.body).toEqual(bytes);
  });

  promise(
    rig,
    'a wire id is a duplicate for the whole window, also after its message has left',
    async (bench) => {
      const { bus } = bench.ports;
      const message = bench.make.toolCall(1);
      const since = moment(bench);
      got(await bus.publish(message));
      const delivery = await next(bench);
      got(await delivery.ack());
      await soon(bench, async () => expect(await unacked(bus, bench.make.gateway)).toBe(0));
      expect(got(await bus.publish(message))).toEqual({ duplicate: true });
      const untilMs = since + bench.duplicateWindowMs - 4 * bench.slackMs;
      await bench.advance(Math.max(0, untilMs - moment(bench)));
      expect(got(await bus.publish(message))).toEqual({ duplicate: true });
      expect(await unacked(bus, bench.make.gateway)).toBe(0);
    },
  );

  promise(rig, 'a later copy does not make the window any longer', async (bench) => {
    const { bus } = bench.ports;
    const message = bench.make.toolCall(1);
    got(await bus.publish(message));
    const delivery = await next(bench);
    got(await delivery.ack());
    await bench.advance(bench.duplicateWindowMs / 2);
    expect(got(await bus.publish(message))).toEqual({ duplicate: true });
    await bench.advance(bench.duplicateWindowMs / 2);
    // Each of these copies would make it longer again.
    await soon(bench, async () => expect(got(await bus.publish(message))).toEqual({ duplicate: false }));
    expect(await unacked(bus, bench.make.gateway)).toBe(1);
  });

  promise(rig, 'the window of the door knows nothing of that of the work', async (bench) => {
    const { bus } = bench.ports;
    const submit = bench.make.jobSubmit('c-1');
    const call = bench.make.toolCall(1);
    got(await bus.publish(submit));
    const twin = { ...call, headers: { ...call.headers, id: submit.headers.id } };
    expect(got(await bus.publish(twin))).toEqual({ duplicate: false });
  });

  promise(
    rig,
    'a subject that still holds its message takes no other: a re-send meets its original',
    async (bench) => {
      const { bus } = bench.ports;
      got(await bus.publish(bench.make.toolCall(1)));
      const resent = bench.make.toolCall(1, { epoch: 1 });
      expect(got(await bus.publish(resent))).toEqual({ duplicate: true });
      const taken = await takenWithin(bench, bench.make.gateway, 10, bench.patienceMs);
      expect(taken).toHaveLength(1);
      expect(got(await bus.publish(resent))).toEqual({ duplicate: true });
      for (const delivery of taken) got(await delivery.ack());
      await soon(bench, async () => expect(got(await bus.publish(resent))).toEqual({ duplicate: false }));
    },
  );

  promise(rig, 'the next attempt has a subject of its own', async (bench) => {
    const { bus } = bench.ports;
    got(await bus.publish(bench.make.toolCall(1)));
    expect(got(await bus.publish(bench.make.toolCall(1, { attempt: 2 })))).toEqual({ duplicate: false });
    expect(await unacked(bus, bench.make.gateway)).toBe(2);
  });

  promise(rig, 'messages go to the queue of their service, pool and lane, and to no other', async (bench) => {
    const { bus } = bench.ports;
    got(await bus.publish(bench.make.toolCall(1)));
    got(await bus.publish(bench.make.toolSettle(2)));
    got(await bus.publish(bench.make.jobSubmit('c-1')));
    got(await bus.publish(bench.make.jobHalt(3)));
    for (const queue of [
      bench.make.gateway,
      bench.make.worker,
      bench.make.manager('submit'),
      bench.make.manager('call'),
    ]) {
      expect(await unacked(bus, queue)).toBe(1);
      const taken = await takenWithin(bench, queue, 10, bench.patienceMs);
      expect(taken.map((delivery) => delivery.subject.includes(`.${queue.lane}.`))).toEqual([true]);
    }
  });
};
