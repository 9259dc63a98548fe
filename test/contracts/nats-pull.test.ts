import { consumerOf, streamNames } from '@foldmesh/jetstream/internal';
import type { Delivery, Subscription } from '@foldmesh/ports';
import { systemRandom } from '@foldmesh/system';
import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { next, publishCalls, pullWithin, unacked } from './bus-hands.ts';
import { type NatsScene, natsScene, timed } from './nats-scene.ts';
import { got, insist } from './rig.ts';

/** So long that a test which waits for it has failed. */
const longMs = 60_000;
const longWait = { topology: { ackWaitMs: longMs } };
/** What comes within it came for another reason than the end of a hold or a pull, on a busy machine too. */
const soonMsMax = 15_000;
const timeoutMs = 90_000;

const subscribed = async ({ ports, bench }: NatsScene): Promise<Subscription> =>
  got(await ports.bus.subscribe(bench.make.gateway));

const consumerIn = ({ raw, bench }: NatsScene) => {
  const { stream, name } = consumerOf(bench.make.gateway);
  const { consumers } = raw.manager;
  return {
    name,
    info: () => consumers.info(stream, name),
    delete: () => consumers.delete(stream, name),
  };
};

describe.concurrent('what was asked for', { timeout: timeoutMs }, () => {
  it('is at no time more than there are free slots', async () => {
    await using scene = await natsScene(longWait);
    const { bench } = scene;
    const slots = 3;
    const count = 150;
    await using subscription = await subscribed(scene);
    const consumer = consumerIn(scene);
    let atWork = 0;
    let done = 0;
    let pendingMost = 0;
    const watch = async (): Promise<void> => {
      while (done < count) pendingMost = Math.max(pendingMost, (await consumer.info()).num_ack_pending);
    };
    const work = async (delivery: Delivery): Promise<void> => {
      await bench.advance(10 * systemRandom.float());
      got(await delivery.ack());
      atWork -= 1;
      done += 1;
    };
    // In bursts, so that there is now more and now less than there are slots for.
    const publish = async (): Promise<void> => {
      for (let step = 1; step <= count; step++) {
        got(await scene.ports.bus.publish(bench.make.toolCall(step)));
        if (step % 6 === 0) await bench.advance(30 * systemRandom.float());
      }
    };
    const publishing = publish();
    const watching = watch();
    const working: Promise<void>[] = [];
    while (working.length < count) {
      await eventually(() => atWork < slots, { everyMs: 1 });
      const taken = await pullWithin(bench, subscription, slots - atWork, timeoutMs);
      atWork += taken.length;
      expect(atWork).toBeLessThanOrEqual(slots);
      working.push(...taken.map(work));
    }
    await Promise.all([publishing, watching, ...working]);
    expect(pendingMost).toBeGreaterThan(0);
    expect(pendingMost).toBeLessThanOrEqual(slots);
  });

  it('goes to somebody else, and not after the ack wait, where nobody pulls any more', async () => {
    await using scene = await natsScene(longWait);
    const { bench } = scene;
    await using full = await subscribed(scene);
    await publishCalls(bench, 1);
    expect(await full.pull(3, AbortSignal.timeout(timeoutMs))).toHaveLength(1);
    await publishCalls(bench, 3);
    await using free = await subscribed(scene);
    const taken: Delivery[] = [];
    const { ms } = await timed(async () => {
      while (taken.length < 2) taken.push(...(await pullWithin(bench, free, 2 - taken.length, timeoutMs)));
    });
    expect(ms).toBeLessThan(soonMsMax);
  });

  it('is given back when the pull is aborted: many aborts lose nothing and hold nothing up', async () => {
    await using scene = await natsScene(longWait);
    const { bench } = scene;
    const count = 400;
    const acked = new Set<string>();
    const hasty = await subscribed(scene);
    const other = await subscribed(scene);
    const publishing = publishCalls(bench, count);
    let empty = 0;
    const takeAll = async (subscription: Subscription, patienceMs: number): Promise<void> => {
      while (acked.size < count) {
        const taken = await pullWithin(bench, subscription, 5, patienceMs * systemRandom.float());
        if (taken.length === 0) empty += 1;
        for (const delivery of taken) {
          got(await delivery.ack());
          acked.add(delivery.subject);
        }
      }
    };
    const { ms } = await timed(() => Promise.all([publishing, takeAll(hasty, 3), takeAll(other, 3)]));
    await hasty[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    expect(empty).toBeGreaterThan(20);
    expect(ms).toBeLessThan(longMs / 2);
    expect(await unacked(scene.ports.bus, bench.make.gateway)).toBe(0);
  });

  it('is forgotten at once by a subscription that is closed', async () => {
    await using scene = await natsScene(longWait);
    const { bench } = scene;
    const leaving = await subscribed(scene);
    const pulling = leaving.pull(5, AbortSignal.timeout(timeoutMs));
    await eventually(async () => (await consumerIn(scene).info()).num_waiting === 1);
    await leaving[Symbol.asyncDispose]();
    expect(await pulling).toEqual([]);
    await publishCalls(bench, 1);
    expect((await next(bench)).redelivered).toBe(false);
  });
});

describe.concurrent('a consumer', { timeout: timeoutMs }, () => {
  it('that is deleted while somebody pulls is made anew, and the pull goes on', async () => {
    await using scene = await natsScene();
    const { bench, logged } = scene;
    await using subscription = await subscribed(scene);
    const pulling = pullWithin(bench, subscription, 1, timeoutMs);
    await eventually(async () => (await consumerIn(scene).info()).num_waiting === 1);
    await consumerIn(scene).delete();
    await publishCalls(bench, 1);
    const { value, ms } = await timed(() => pulling);
    expect(value).toHaveLength(1);
    expect(ms).toBeLessThan(soonMsMax);
    expect(logged.filter((line) => line.includes('was made anew'))).toHaveLength(1);
  });

  it('that is deleted while nobody pulls is made anew by the next pull', async () => {
    await using scene = await natsScene();
    await using subscription = await subscribed(scene);
    await consumerIn(scene).delete();
    await publishCalls(scene.bench, 1);
    expect(await pullWithin(scene.bench, subscription, 1, scene.bench.patienceMs)).toHaveLength(1);
  });

  it('that goes with its stream comes back with it, and is not complained of again and again', async () => {
    await using scene = await natsScene();
    const { bench, logged, ports, raw } = scene;
    await using subscription = await subscribed(scene);
    const pulling = pullWithin(bench, subscription, 1, timeoutMs);
    await eventually(async () => (await consumerIn(scene).info()).num_waiting === 1);
    await raw.manager.streams.delete(streamNames.work);
    await eventually(() => logged.some((line) => line.includes('MESH_WORK is missing')));
    await bench.advance(1_000);
    expect(logged.filter((line) => line.includes('MESH_WORK is missing'))).toHaveLength(1);
    got(await ports.topology());
    await publishCalls(bench, 1);
    expect(await pulling).toHaveLength(1);
  });

  it('of another configuration is used as it is, and each difference is named; but its ack wait is that of the hosts', async () => {
    await using scene = await natsScene();
    const { bench, logged, raw } = scene;
    const { stream, name, filter } = consumerOf(bench.make.gateway);
    await raw.manager.consumers.add(stream, {
      durable_name: name,
      filter_subject: filter,
      ack_policy: 'explicit',
      max_deliver: 3,
    });
    await using subscription = await subscribed(scene);
    await publishCalls(bench, 1);
    expect(await pullWithin(bench, subscription, 1, bench.patienceMs)).toHaveLength(1);
    const named = logged.filter((line) => line.includes('a consumer is not as it is wanted'));
    for (const setting of ['max_deliver', 'max_ack_pending'])
      expect(named.filter((line) => line.includes(`"${setting}"`))).toHaveLength(1);
    expect((await consumerIn(scene).info()).config).toMatchObject({
      max_deliver: 3,
      ack_wait: bench.ackWaitMs * 1_000_000,
    });
  });
});

// By itself, so that the kill comes within moments of the nak: later the server has written the delay down.
describe('a server that is killed', { timeout: timeoutMs }, () => {
  it('forgets the delay of a nak, if not each time: the message comes long before', async () => {
    await using scene = await natsScene();
    const { bench, ports, server } = scene;
    const comesEarly = async (step: number): Promise<boolean> => {
      await insist(bench, () => ports.bus.publish(bench.make.toolCall(step)));
      const held = await next(bench);
      got(await held.nak(60_000));
      await server.kill();
      await server.restart();
      await using subscription = await insist(bench, () => ports.bus.subscribe(bench.make.gateway));
      const [again] = await pullWithin(bench, subscription, 1, 3 * bench.ackWaitMs);
      return again?.subject === held.subject;
    };
    let early = false;
    for (let step = 1; step <= 6 && !early; step++) early = await comesEarly(step);
    expect(early).toBe(true);
  });
});
