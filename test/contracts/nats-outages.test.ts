import type { Result } from '@foldmesh/envelope';
import { defaultTimings } from '@foldmesh/jetstream/internal';
import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { pullWithin, takenAll, unacked } from './bus-hands.ts';
import { append, appendOf, textOf } from './journal-hands.ts';
import { hastyCallMsMax, hastyTimings, type NatsScene, natsScene, timed } from './nats-scene.ts';
import { got, insist } from './rig.ts';
import { bytesOf } from './samples.ts';

const timeoutMs = 120_000;

/** One call of each port, under a name that may be used once. */
const calls = ({ ports, bench }: NatsScene, step: number): readonly (() => Promise<Result<unknown>>)[] => {
  const { bus, journal, index, blobs, dead } = ports;
  const { make } = bench;
  return [
    () => bus.publish(make.jobHalt(step)),
    () => bus.subscribe(make.gateway),
    () => bus.standing(make.gateway),
    () => bus.purge(make.tenant, make.otherJob),
    () => bus.filled(),
    () => journal.append(appendOf(bench, make.entity({ task: `t${step}`, round: 1 }, make.otherJob), 'x', 0)),
    () => journal.last(make.entity()),
    () => journal.read(make.entity(), 0, 10),
    () => index.put(`mesh.v1.${make.tenant}.index.job`, step),
    () => index.list(`mesh.v1.${make.tenant}.`),
    () => blobs.put(make.tenant, make.job, bytesOf(`blob ${step}`)),
    () => dead.list(),
    () => ports.topology(),
  ];
};

/** What each of them came to, and how long the slowest took. */
const answers = async (scene: NatsScene, step: number) => {
  const all = await Promise.all(calls(scene, step).map(timed));
  return {
    kinds: new Set(all.map(({ value }) => (value.ok ? 'ok' : value.fault.kind))),
    againAfter: all.map(({ value }) => (value.ok ? 0 : value.fault.retry_after_ms)),
    slowestMs: Math.max(...all.map(({ ms }) => ms)),
  };
};

/** Every call works again, and nothing is said to be wrong. */
const allWell = async (scene: NatsScene): Promise<void> => {
  let step = 1_000;
  await eventually(async () => expect((await answers(scene, step++)).kinds).toEqual(new Set(['ok'])));
  await eventually(() => expect(scene.ports.problems()).toEqual([]));
};

/** Somebody in the middle of everything: waits for work, listens, follows a job. */
const audience = async (scene: NatsScene) => {
  const { bus, journal } = scene.ports;
  const { make } = scene.bench;
  const subscription = got(await bus.subscribe(make.gateway));
  const heard: string[] = [];
  const ear = bus.listen(`${make.tenant}.live.*`, (_, subject) => heard.push(subject));
  const stop = new AbortController();
  const read: string[] = [];
  const following = (async () => {
    for await (const recorded of journal.follow(make, 0, stop.signal)) read.push(textOf(recorded));
  })();
  return {
    waiting: pullWithin(scene.bench, subscription, 5, timeoutMs),
    hears: () =>
      eventually(() => {
        bus.cast(`${make.tenant}.live.a`, bytesOf('news'));
        return heard.length > 0;
      }),
    followed: async (texts: readonly string[]) => {
      await eventually(() => expect(read).toEqual(texts));
      // What it got twice would come soon.
      await scene.bench.advance(1_500);
      stop.abort();
      await following;
      expect(read).toEqual(texts);
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ear[Symbol.asyncDispose]();
      await subscription[Symbol.asyncDispose]();
    },
  };
};

describe.concurrent('a server that comes back', { timeout: timeoutMs }, () => {
  it.each(['stop', 'kill'] as const)(
    'after %s: nothing stored is lost, and who waited goes on without a new subscription',
    async (how) => {
      // No heartbeat that is missing may be what it takes to notice.
      await using scene = await natsScene({
        timings: { ...hastyTimings, heartbeatMs: 15_000, pullMs: 30_000 },
      });
      const { ports, bench, server } = scene;
      const { make } = bench;
      for (let step = 1; step <= 20; step++) got(await ports.bus.publish(make.toolSettle(step)));
      const seqs = await append(bench, make.entity(), ['a', 'b']);
      await using present = await audience(scene);
      await using idle = got(await ports.bus.subscribe(make.manager('call')));
      const leaving = new AbortController();
      const left = timed(() => idle.pull(1, leaving.signal));

      await server[how]();
      await eventually(() => ports.problems().length > 0);
      const away = await answers(scene, 1);
      expect(away.kinds).toEqual(new Set(['unavailable']));
      expect(away.againAfter).not.toContain(undefined);
      expect(away.slowestMs).toBeLessThan(hastyCallMsMax);
      const asked = timed(() => left);
      leaving.abort();
      expect((await asked).ms).toBeLessThan(hastyCallMsMax);

      await server.restart();
      await insist(bench, () => ports.bus.publish(make.toolCall(2)));
      const back = await timed(() => present.waiting);
      expect(back.value.map(({ subject }) => subject)).toEqual([make.toolCall(2).subject]);
      // Long before it could have missed a heartbeat.
      expect(back.ms).toBeLessThan(10_000);
      await append(bench, make.entity(), ['c'], seqs.at(-1));
      await present.hears();
      await present.followed(['a', 'b', 'c']);
      expect(await unacked(ports.bus, make.worker)).toBe(20);
      await takenAll(bench, make.worker, 20);
      await allWell(scene);
    },
  );

  it('answers nothing for eight seconds, and a few seconds later all is as before', async () => {
    // With the times of production: it is them that have to be right.
    await using scene = await natsScene();
    const { ports, bench, proxy } = scene;
    const { make } = bench;
    const seqs = await append(bench, make.entity(), ['a', 'b']);
    await using present = await audience(scene);
    const until = bench.ports.clock.monotonic() + 8_000;
    // What asks twice before it gives up takes two of these; one is room for a busy machine.
    const boundMs = 4 * defaultTimings.requestMs;
    proxy.blackHole();
    for (let step = 1; bench.ports.clock.monotonic() < until; step++) {
      const { kinds, againAfter, slowestMs } = await answers(scene, 100 + step);
      expect([...kinds].filter((kind) => kind !== 'unanswered' && kind !== 'unavailable')).toEqual([]);
      expect(againAfter).not.toContain(undefined);
      expect(slowestMs).toBeLessThan(boundMs);
      await bench.advance(Math.min(...againAfter.map(Number)));
    }
    await proxy.mend();
    const back = await timed(async () => {
      await insist(bench, () => ports.bus.publish(make.toolCall(2)));
      return present.waiting;
    });
    expect(back.value.map(({ subject }) => subject)).toContain(make.toolCall(2).subject);
    expect(back.ms).toBeLessThan(10_000);
    await append(bench, make.entity(), ['c'], seqs.at(-1));
    await present.hears();
    await present.followed(['a', 'b', 'c']);
    await allWell(scene);
  });

  it('lets a pull be aborted while nothing passes', async () => {
    await using scene = await natsScene({ timings: hastyTimings });
    const { ports, bench, proxy } = scene;
    await using subscription = got(await ports.bus.subscribe(bench.make.gateway));
    const leaving = new AbortController();
    const pulling = subscription.pull(3, leaving.signal);
    await eventually(async () => (await waitingPulls(scene)) === 1);
    proxy.blackHole();
    leaving.abort();
    const { value, ms } = await timed(() => pulling);
    expect(value).toEqual([]);
    expect(ms).toBeLessThan(hastyCallMsMax);
    await proxy.mend();
  });
});

const waitingPulls = async ({ raw, bench: { make } }: NatsScene): Promise<number> => {
  const { gateway } = make;
  const name = `${gateway.service}_${gateway.pool}_${gateway.lane}`;
  return (await raw.manager.consumers.info('MESH_WORK', name)).num_waiting;
};
