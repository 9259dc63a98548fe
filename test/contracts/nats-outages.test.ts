import type { Result } from '@foldmesh/envelope';
import { defaultTimings } from '@foldmesh/jetstream/internal';
import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { pullWithin, takenWithin, unacked } from './bus-hands.ts';
import { append, appendOf, collect, textOf } from './journal-hands.ts';
import { hastyTimings, type NatsScene, natsScene, timed } from './nats-scene.ts';
import { got, insist } from './rig.ts';
import { bytesOf } from './samples.ts';

const timeoutMs = 40_000;

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

/** Somebody in the middle of everything: waits for work, listens, follows a job. */
const audience = async (scene: NatsScene) => {
  const { bus, journal } = scene.ports;
  const { make } = scene.bench;
  const subscription = got(await bus.subscribe(make.gateway));
  const heard: string[] = [];
  const ear = bus.listen(`${make.tenant}.live.*`, (_, subject) => heard.push(subject));
  const stop = new AbortController();
  const following = collect(journal.follow(make, 0, stop.signal));
  return {
    waiting: pullWithin(scene.bench, subscription, 5, timeoutMs),
    hears: () =>
      eventually(() => {
        bus.cast(`${make.tenant}.live.a`, bytesOf('news'));
        return heard.length > 0;
      }),
    followed: async (texts: readonly string[]) => {
      const { entity } = make;
      const { seq } = got(await journal.last(entity())) ?? { seq: 0 };
      await eventually(async () => (await journal.read(entity(), seq, 1)).ok);
      // Whatever it still had to get it has got by now, or never does.
      await scene.bench.advance(1_500);
      stop.abort();
      expect((await following).map(textOf)).toEqual(texts);
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
      expect(away.slowestMs).toBeLessThan(hastyTimings.requestMs + bench.slackMs);
      const asked = timed(() => left);
      leaving.abort();
      expect((await asked).ms).toBeLessThan(hastyTimings.requestMs + bench.slackMs);

      await server.restart();
      await insist(bench, () => ports.bus.publish(make.toolCall(2)));
      const back = await timed(() => present.waiting);
      expect(back.value.map(({ subject }) => subject)).toEqual([make.toolCall(2).subject]);
      expect(back.ms).toBeLessThan(2_000);
      await append(bench, make.entity(), ['c'], seqs.at(-1));
      await present.hears();
      await present.followed(['a', 'b', 'c']);
      expect(await unacked(ports.bus, make.worker)).toBe(20);
      expect(await takenWithin(bench, make.worker, 20, 2 * bench.ackWaitMs)).toHaveLength(20);
      expect((await answers(scene, 3)).kinds).toEqual(new Set(['ok']));
      expect(ports.problems()).toEqual([]);
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
    const boundMs = 3 * defaultTimings.requestMs + bench.slackMs;
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
    expect(back.ms).toBeLessThan(5_000);
    await append(bench, make.entity(), ['c'], seqs.at(-1));
    await present.hears();
    await present.followed(['a', 'b', 'c']);
    expect((await answers(scene, 3)).kinds).toEqual(new Set(['ok']));
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
    expect(ms).toBeLessThan(hastyTimings.requestMs + bench.slackMs);
    await proxy.mend();
  });
});

const waitingPulls = async ({ raw, bench: { make } }: NatsScene): Promise<number> => {
  const { gateway } = make;
  const name = `${gateway.service}_${gateway.pool}_${gateway.lane}`;
  return (await raw.manager.consumers.info('MESH_WORK', name)).num_waiting;
};
