import { decodeUtf8 } from '@foldmesh/envelope';
import { openJetStream } from '@foldmesh/jetstream';
import { headers, streamNames } from '@foldmesh/jetstream/internal';
import type { Delivery } from '@foldmesh/ports';
import { systemClock } from '@foldmesh/system';
import { eventually, natsServer } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { next, publishCalls, unacked } from './bus-hands.ts';
import { append, collect, textOf } from './journal-hands.ts';
import { type NatsScene, natsScene, timed } from './nats-scene.ts';
import { faultOf, got } from './rig.ts';
import { bytesOf } from './samples.ts';

const timeoutMs = 60_000;

const headersOf = (pairs: readonly (readonly [string, string])[]) => {
  const set = headers();
  for (const [name, value] of pairs) set.append(name, value);
  return set;
};

/** Publishes past the port, on the subject of a call, and takes it from there. */
const passed = async (
  { raw, bench }: NatsScene,
  body: Uint8Array,
  pairs?: readonly (readonly [string, string])[],
): Promise<Delivery> => {
  const { subject } = bench.make.toolCall(1);
  await raw.streams.publish(subject, body, pairs && { headers: headersOf(pairs) });
  const delivery = await next(bench);
  expect(delivery.subject).toBe(subject);
  got(await delivery.ack());
  return delivery;
};

describe.concurrent('a message of somebody else', { timeout: timeoutMs }, () => {
  it('without headers is delivered without any', async () => {
    await using scene = await natsScene();
    expect(await passed(scene, bytesOf('a'))).toMatchObject({ headers: {}, body: bytesOf('a') });
  });

  it('without headers and without a body is delivered too', async () => {
    await using scene = await natsScene();
    expect(await passed(scene, new Uint8Array())).toMatchObject({ headers: {}, body: new Uint8Array() });
  });

  it('with a header twice is delivered with the first, names as they were written', async () => {
    await using scene = await natsScene();
    const twice = [
      ['mesh-key', 'first'],
      ['mesh-key', 'second'],
      ['X-Other', 'ü'],
    ] as const;
    const { headers: raw } = await passed(scene, new Uint8Array(), twice);
    expect(raw).toEqual({ 'mesh-key': 'first', 'X-Other': 'ü' });
  });

  it('with a header called like a part of every object is only that', async () => {
    await using scene = await natsScene();
    const { headers: raw } = await passed(scene, bytesOf('a'), [
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
    expect(Object.entries(raw).toSorted()).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  it('with bytes that are not UTF-8 is delivered byte for byte', async () => {
    await using scene = await natsScene();
    const bytes = new Uint8Array([0xff, 0x00, 0xfe, 0x0d, 0x0a, 0xc3]);
    const { body } = await passed(scene, bytes, [['Mesh-Type', 'tool.call']]);
    expect(body).toEqual(bytes);
    expect(decodeUtf8(body).ok).toBe(false);
  });

  it('among dead letters hides neither itself nor the others', async () => {
    await using scene = await natsScene();
    const { make } = scene.bench;
    const letter = make.deadLetter('a');
    got(await scene.ports.dead.put(letter));
    const subject = `mesh.v1.${make.tenant}.dead.${make.job}.foreign`;
    await scene.raw.streams.publish(subject, bytesOf('{'));
    const [first, second, ...none] = got(await scene.ports.dead.list(make.tenant, make.job));
    expect(first).toEqual(letter);
    expect(second).toMatchObject({ id: 'foreign', subject, body: bytesOf('{') });
    expect(second?.reason).toContain('cannot be read');
    expect(none).toEqual([]);
  });

  it('in the index is left out, and said', async () => {
    await using scene = await natsScene();
    const { make } = scene.bench;
    const root = `mesh.v1.${make.tenant}.index`;
    got(await scene.ports.index.put(`${root}.a`, 1));
    await scene.raw.streams.publish(`${root}.b`, new Uint8Array([0xff]));
    expect(got(await scene.ports.index.list(root))).toEqual([{ subject: `${root}.a`, value: 1 }]);
    expect(scene.logged.join()).toContain('the index has what cannot be read');
  });

  it("on a subject of the journal that is no entity's does not end who follows the job", async () => {
    await using scene = await natsScene();
    const { bench, ports } = scene;
    const { make } = bench;
    const seqs = await append(bench, make.entity(), ['a']);
    await scene.raw.streams.publish(`mesh.v1.${make.tenant}.journal.${make.job}.run.foreign`, 'x');
    await append(bench, make.entity(), ['b'], seqs[0]);
    const stop = new AbortController();
    const all = await collect(ports.journal.follow(make, 0, stop.signal), 2);
    expect(all.map(textOf)).toEqual(['a', 'b']);
    stop.abort();
  });
});

it('a purge of one job leaves a thousand messages of others', { timeout: timeoutMs }, async () => {
  await using scene = await natsScene();
  const { bench, ports, raw } = scene;
  const { make } = bench;
  const others = Array.from({ length: 1_000 }, (_, at) => make.toolCall(at + 1, { job: make.otherJob }));
  for (let from = 0; from < others.length; from += 200)
    await Promise.all(others.slice(from, from + 200).map(async (one) => got(await ports.bus.publish(one))));
  await publishCalls(bench, 20);
  expect(await unacked(ports.bus, make.gateway)).toBe(1_020);
  expect(got(await ports.bus.purge(make.tenant, make.job))).toBe(20);
  expect(await unacked(ports.bus, make.gateway)).toBe(1_000);
  expect((await raw.manager.streams.info(streamNames.work)).state.messages).toBe(1_000);
});

describe.concurrent('who has to say a password', { timeout: timeoutMs }, () => {
  const password = 'p@ss:w/rd#1%';
  /** How long who is not let in would go on trying, and by when it has been refused on a busy machine too. */
  const patienceMs = 40_000;
  const atOnceMsMax = 15_000;
  const locked = { config: [`authorization { user: mesh, password: ${JSON.stringify(password)} }`] };

  const opened = async (port: number, credentials: string) => {
    const logged: string[] = [];
    const settings = {
      url: `nats://${credentials}127.0.0.1:${port}`,
      name: 'who',
      clock: systemClock,
      log: (...line: readonly unknown[]) => void logged.push(JSON.stringify(line)),
    };
    const { value, ms } = await timed(() => openJetStream(settings, AbortSignal.timeout(patienceMs)));
    return { result: value, ms, logged };
  };

  it('says it in the address, and it is never repeated', async () => {
    await using server = await natsServer(locked);
    const { result, logged } = await opened(server.port, `mesh:${encodeURIComponent(password)}@`);
    await using ports = got(result);
    got(await ports.topology());
    await server.stop();
    const away = faultOf(await ports.topology());
    await eventually(() => expect(logged.join()).toContain('lost'));
    expect(`${logged.join()} ${JSON.stringify(away)} ${ports.problems().join()}`).not.toContain('ss:w');
  });

  it.each([
    ['a wrong one', 'mesh:wrong-one@'],
    ['none', ''],
    ['a token', 'wrong-one@'],
  ])('and says %s, is refused at once', async (_, credentials) => {
    await using server = await natsServer(locked);
    const { result, ms, logged } = await opened(server.port, credentials);
    const refused = faultOf(result);
    expect(refused).toMatchObject({ kind: 'refused' });
    expect(refused.detail).toContain('does not accept our user, password or token');
    expect(refused.retry_after_ms).toBeUndefined();
    expect(ms).toBeLessThan(atOnceMsMax);
    expect(`${logged.join()} ${refused.detail}`).not.toContain('wrong-one');
  });
});
