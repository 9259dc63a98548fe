import type { Result } from '@foldmesh/envelope';
import { type TopologyReport, topologyFault } from '@foldmesh/jetstream';
import { streamNames } from '@foldmesh/jetstream/internal';
import { describe, expect, it } from 'vitest';
import { publishCalls, unacked } from './bus-hands.ts';
import { append, appendOf } from './journal-hands.ts';
import { type NatsScene, natsScene } from './nats-scene.ts';
import { faultOf, got } from './rig.ts';

const hourNs = 3_600_000_000_000;
const all = Object.values(streamNames).toSorted();
const timeoutMs = 90_000;

const streamsOf = async ({ raw }: NatsScene): Promise<readonly string[]> => {
  const names: string[] = [];
  for await (const name of raw.manager.streams.names()) names.push(name);
  return names.toSorted();
};

/** Listens from now on; what it gives resolves with the `count`th request that comes by. */
const hearing = async ({ raw }: NatsScene, subject: string, count: number): Promise<() => Promise<void>> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let heard = 0;
  const callback = (): void => {
    heard += 1;
    if (heard === count) resolve();
  };
  raw.nats.subscribe(subject, { max: count, callback });
  // A request that comes before the server knows of us would be missed.
  await raw.nats.flush();
  return () => promise;
};

type Looked = Pick<TopologyReport, 'differences'>;

const textsOf = ({ differences }: Looked): readonly string[] =>
  differences.map(({ stream, setting, wanted, found }) => `${stream} ${setting} ${found} for ${wanted}`);

describe.concurrent('the topology on a real server', { timeout: timeoutMs }, () => {
  it('is made once: the second time nothing is created, and nothing differs', async () => {
    await using scene = await natsScene({ bare: true });
    const first = got(await scene.ports.topology());
    expect(first.created.toSorted()).toEqual(all);
    expect(textsOf(first)).toEqual([]);
    expect(got(await scene.ports.topology())).toEqual({ ...first, created: [] });
    expect(first).toMatchObject({ version: scene.server.version, replicas: 1 });
    expect(await streamsOf(scene)).toEqual(all);
  });

  it('may be made by five at once, again and again', async () => {
    await using scene = await natsScene({ bare: true });
    const five = await Promise.all([1, 2, 3, 4, 5].map(() => scene.open()));
    for (let round = 1; round <= 5; round++) {
      const reports = await Promise.all(five.map((ports) => ports.topology()));
      for (const report of reports) expect(textsOf(got(report))).toEqual([]);
      expect(await streamsOf(scene)).toEqual(all);
      for (const name of all) await scene.raw.manager.streams.delete(name);
    }
  });

  it.for(['topology', 'report'] as const)(
    'may be looked for at any moment while somebody else makes it and begins to write: %s',
    async (look) => {
      await using scene = await natsScene({ bare: true });
      const fast = await scene.open(scene.server.url);
      for (const looks of all.keys()) {
        // Slow enough that we hear of each look before the next one is on its way.
        scene.proxy.delay(20);
        const heard = await hearing(scene, '$JS.API.STREAM.INFO.*', looks + 1);
        const slow: Promise<Result<Looked>> = scene.ports[look]();
        await heard();
        scene.proxy.blackHole();
        got(await fast.topology());
        got(await fast.journal.append(appendOf(scene.bench, scene.bench.make.entity(), 'a', 0)));
        await scene.proxy.mend();
        expect(textsOf(got(await slow))).toEqual([]);
        for (const name of all) await scene.raw.manager.streams.delete(name);
      }
    },
  );

  it('goes on where somebody was interrupted after the first stream', async () => {
    await using scene = await natsScene();
    for (const name of all) if (name !== streamNames.journal) await scene.raw.manager.streams.delete(name);
    const report = got(await scene.ports.topology());
    expect([...report.created, streamNames.journal].toSorted()).toEqual(all);
  });

  it('names an essential setting that somebody has changed, and refuses to work on it', async () => {
    await using scene = await natsScene();
    const { streams } = scene.raw.manager;
    await streams.update(streamNames.work, { discard: 'old', discard_new_per_subject: false });
    await streams.update(streamNames.journal, { max_age: hourNs });
    const report = got(await scene.ports.topology());
    expect(textsOf(report).toSorted()).toEqual([
      `MESH_JOURNAL max_age ${hourNs} for 0`,
      'MESH_WORK discard old for new',
      'MESH_WORK discard_new_per_subject false for true',
    ]);
    const refused = topologyFault(report);
    expect(refused).toMatchObject({ kind: 'refused' });
    expect(refused?.detail).toContain(`MESH_JOURNAL max_age is ${hourNs}, wanted 0`);
    expect(refused?.detail).toContain('MESH_WORK discard is old, wanted new');
    // It is reported, never put right.
    expect((await streams.info(streamNames.work)).config.discard).toBe('old');
  });

  it('reports a setting that only makes it worse, and works on it', async () => {
    await using scene = await natsScene();
    await scene.raw.manager.streams.update(streamNames.submit, { max_msgs: 7 });
    const report = got(await scene.ports.topology());
    expect(textsOf(report)).toEqual(['MESH_SUBMIT max_msgs 7 for 100000']);
    expect(topologyFault(report)).toBeUndefined();
  });

  it.each([streamNames.journal, streamNames.blobs])(
    'never makes %s anew beside streams that are there, and deletes nothing',
    async (store) => {
      await using scene = await natsScene();
      await publishCalls(scene.bench, 3);
      await scene.raw.manager.streams.delete(store);
      const lost = faultOf(await scene.ports.topology());
      expect(lost).toMatchObject({ kind: 'refused' });
      expect(lost.detail).toContain(`${store} is missing beside`);
      expect(lost.retry_after_ms).toBeUndefined();
      expect(await streamsOf(scene)).toEqual(all.filter((name) => name !== store));
      expect(await unacked(scene.ports.bus, scene.bench.make.gateway)).toBe(3);
    },
  );

  it('never makes the blobs anew beside a journal that holds something', async () => {
    await using scene = await natsScene();
    await append(scene.bench, scene.bench.make.entity(), ['a']);
    for (const name of all.filter((one) => one !== streamNames.journal))
      await scene.raw.manager.streams.delete(name);
    const lost = faultOf(await scene.ports.topology());
    expect(lost.detail).toContain('MESH_BLOBS is missing beside MESH_JOURNAL');
  });

  it('is made anew where another stream is missing, and what lies in the rest stays', async () => {
    await using scene = await natsScene();
    await publishCalls(scene.bench, 3);
    await scene.raw.manager.streams.delete(streamNames.index);
    expect(got(await scene.ports.topology()).created).toEqual([streamNames.index]);
    expect(await unacked(scene.ports.bus, scene.bench.make.gateway)).toBe(3);
  });
});

describe('without its streams', { timeout: timeoutMs }, () => {
  it('a port call says which is missing, and to ask again later', async () => {
    await using scene = await natsScene({ bare: true });
    const { bus, journal } = scene.ports;
    const { make } = scene.bench;
    const missing = { kind: 'unavailable', retry_after_ms: expect.any(Number) };
    const subscribed = faultOf(await bus.subscribe(make.gateway));
    expect(subscribed).toMatchObject(missing);
    expect(subscribed.detail).toContain('MESH_WORK is missing');
    expect(faultOf(await bus.publish(make.toolCall(1)))).toMatchObject(missing);
    expect(faultOf(await bus.standing(make.gateway))).toMatchObject(missing);
    expect(faultOf(await journal.last(make.entity()))).toMatchObject(missing);
    got(await scene.ports.topology());
    got(await bus.publish(make.toolCall(1)));
  });
});
