import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blobSubject, digestOf, invariant } from '@foldmesh/envelope';
import { headers, streamNames } from '@foldmesh/jetstream/internal';
import { describe, expect, it } from 'vitest';
import { takenWithin } from './bus-hands.ts';
import { appendOf, textsOf } from './journal-hands.ts';
import { hastyCallMsMax, hastyTimings, type NatsScene, natsScene, timed } from './nats-scene.ts';
import { faultOf, got } from './rig.ts';

const kiB = 1024;
const miB = 1024 * kiB;
const timeoutMs = 90_000;

/** Bytes that no two places share, so that a part in the wrong place would be seen. */
const noise = (bytes: number, seed = 1): Uint8Array => {
  const all = new Uint8Array(bytes);
  let state = seed;
  for (let at = 0; at < bytes; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    all[at] = state >>> 16;
  }
  return all;
};

describe.concurrent('what is too large', { timeout: timeoutMs }, () => {
  it('is an overflow that names both sizes, of a message and of an entry', async () => {
    await using scene = await natsScene({ server: { payloadBytesMax: 64 * kiB } });
    const { bench, ports } = scene;
    const message = { ...bench.make.toolCall(1), body: noise(70 * kiB) };
    const entry = { ...appendOf(bench, bench.make.entity(), 'a', 0), entry: noise(70 * kiB) };
    for (const answer of [await ports.bus.publish(message), await ports.journal.append(entry)]) {
      const { kind, detail, retry_after_ms } = faultOf<unknown>(answer);
      expect(kind).toBe('overflow');
      expect(detail).toMatch(/has 7\d{4} bytes.*takes 65536/);
      expect(retry_after_ms).toBeUndefined();
    }
  });

  it('is told by the headers too, to the byte', async () => {
    await using scene = await natsScene({ server: { payloadBytesMax: 4 * kiB } });
    const { bench, ports } = scene;
    const message = bench.make.toolCall(1);
    const publish = (bytes: number) => ports.bus.publish({ ...message, body: noise(bytes) });
    let fits = 0;
    let over = 4 * kiB;
    while (over - fits > 1) {
      const bytes = Math.floor((fits + over) / 2);
      if ((await publish(bytes)).ok) fits = bytes;
      else over = bytes;
    }
    got(await publish(fits));
    expect(faultOf(await publish(over))).toMatchObject({
      kind: 'overflow',
      detail: expect.stringContaining('has 4097 bytes'),
    });
    // The server would have ended the connection of whoever sends it more than it takes.
    expect(ports.problems()).toEqual([]);
  });

  it('is lost as a core message, and throws nothing', async () => {
    await using scene = await natsScene({ server: { payloadBytesMax: 4 * kiB } });
    scene.ports.bus.cast('mesh.v1.live', noise(5 * kiB));
    scene.ports.bus.cast('no subject', noise(1));
    scene.ports.bus.cast('', noise(1));
    expect(scene.ports.problems()).toEqual([]);
    expect(scene.logged.filter((line) => line.includes('was not sent')).length).toBeGreaterThan(0);
  });

  it('does not keep a dead letter from being whole', async () => {
    await using scene = await natsScene();
    const { bench, ports } = scene;
    const letter = bench.make.deadLetter('large', { body: noise(miB - 100) });
    got(await ports.dead.put(letter));
    expect(got(await ports.dead.list(bench.make.tenant))).toEqual([letter]);
  });
});

describe.concurrent('a blob', { timeout: timeoutMs }, () => {
  it('of ten mebibytes is whole', async () => {
    await using scene = await natsScene();
    const { tenant, job } = scene.bench.make;
    const bytes = noise(10 * miB + 17);
    const { digest } = got(await scene.ports.blobs.put(tenant, job, bytes));
    expect(Buffer.compare(got(await scene.ports.blobs.get(tenant, job, digest)), bytes)).toBe(0);
  });

  it('whose writer died half-way is none, until it is put again', async () => {
    await using scene = await natsScene();
    const { tenant, job } = scene.bench.make;
    const bytes = noise(miB + 17);
    const digest = digestOf(bytes);
    for (const part of [2, 1])
      await scene.raw.streams.publish(
        blobSubject(tenant, job, digest, part),
        bytes.subarray(part * 512 * kiB, (part + 1) * 512 * kiB),
      );
    expect(faultOf(await scene.ports.blobs.get(tenant, job, digest))).toMatchObject({ kind: 'invalid' });
    got(await scene.ports.blobs.put(tenant, job, bytes));
    expect(Buffer.compare(got(await scene.ports.blobs.get(tenant, job, digest)), bytes)).toBe(0);
  });

  it.each([
    ['is damaged', 2, noise(10, 2)],
    ['is missing', 3, undefined],
    ['has a count of parts that is none', Number.NaN, noise(10, 2)],
  ])('of which a part %s is invalid', async (_, parts, second) => {
    await using scene = await natsScene();
    const { tenant, job } = scene.bench.make;
    const bytes = noise(100);
    const digest = digestOf(bytes);
    const first = headers();
    first.set('Mesh-Parts', String(parts));
    if (second !== undefined) await scene.raw.streams.publish(blobSubject(tenant, job, digest, 1), second);
    await scene.raw.streams.publish(blobSubject(tenant, job, digest), bytes.subarray(0, 90), {
      headers: first,
    });
    expect(faultOf(await scene.ports.blobs.get(tenant, job, digest))).toMatchObject({ kind: 'invalid' });
  });
});

describe.concurrent('what is full', { timeout: timeoutMs }, () => {
  it('at the door turns submits away, and accepted work goes on', async () => {
    await using scene = await natsScene({ topology: { doorMessagesMax: 5 } });
    const { bus } = scene.ports;
    const { make } = scene.bench;
    for (let n = 1; n <= 5; n++) got(await bus.publish(make.jobSubmit('c-1', make.jobNamed(`job${n}`))));
    const late = make.jobSubmit('c-1', make.jobNamed('late'));
    expect(faultOf(await bus.publish(late))).toMatchObject({
      kind: 'throttled',
      retry_after_ms: expect.any(Number),
    });
    // One that lies there already is stored, whether there is room or not, and whether its id is still known or not.
    await scene.bench.advance(scene.bench.duplicateWindowMs + scene.bench.slackMs);
    expect(got(await bus.publish(make.jobSubmit('c-1', make.jobNamed('job3'))))).toEqual({ duplicate: true });
    for (const message of [make.toolCall(1), make.toolSettle(1), make.jobHalt(1)])
      got(await bus.publish(message));
    // A door that is full keeps no work from ending: it does not count.
    expect(got(await bus.filled()).share).toBe(0);
    const [first] = await takenWithin(
      scene.bench,
      make.manager('submit', make.jobNamed('job1')),
      1,
      scene.bench.patienceMs,
    );
    invariant(first, 'nothing lies at the door');
    got(await first.ack());
    expect(got(await bus.publish(late))).toEqual({ duplicate: false });
  });

  it('is told before it is: the journal by its bytes, and an append waits for room', async () => {
    await using scene = await natsScene({ topology: { journalBytesMax: 64 * kiB } });
    const { bench, ports, raw } = scene;
    const entry = noise(8 * kiB);
    const appended = async (n: number) =>
      ports.journal.append({
        ...appendOf(bench, bench.make.entity({ task: `t${n}`, round: 1 }), String(n), 0),
        entry,
      });
    expect(got(await ports.bus.filled()).share).toBe(0);
    for (let n = 1; n <= 7; n++) got(await appended(n));
    const { share, of } = got(await ports.bus.filled());
    expect(of).toBe('MESH_JOURNAL');
    expect(share).toBeGreaterThan(0.85);
    expect(share).toBeLessThanOrEqual(1);
    expect(faultOf(await appended(8))).toMatchObject({
      kind: 'unavailable',
      retry_after_ms: expect.any(Number),
      detail: expect.stringContaining('maximum bytes'),
    });
    await raw.manager.streams.purge(streamNames.journal, {
      filter: `mesh.v1.${bench.make.tenant}.journal.${bench.make.job}.>`,
    });
    expect(got(await appended(8))).toMatchObject({ kind: 'stored' });
    expect(await textsOf(bench, bench.make.entity())).toEqual([]);
  });

  it('is told of the storage of the server as a fault, and it goes on when there is room', async () => {
    await using folder = await ownFolder();
    await using scene = await natsScene({
      timings: hastyTimings,
      server: {
        storeDir: folder.path,
        config: [`jetstream { store_dir: ${JSON.stringify(folder.path)}, max_file_store: 1MB }`],
      },
    });
    const { bench, ports } = scene;
    const put = (n: number) => ports.blobs.put(bench.make.tenant, bench.make.job, noise(128 * kiB, n));
    const first = await until(async (n) => timed(() => put(n)));
    expect(faultOf(first.value)).toMatchObject({ kind: 'unavailable', retry_after_ms: expect.any(Number) });
    expect(first.ms).toBeLessThan(hastyCallMsMax);
    const append = appendOf(bench, bench.make.entity(), 'a', 0);
    await makeRoom(scene);
    expect(got(await ports.journal.append(append))).toMatchObject({ kind: 'stored' });
  });
});

/** The first call that did not work, of at most a hundred. */
const until = async <T extends { readonly value: { readonly ok: boolean } }>(
  call: (n: number) => Promise<T>,
): Promise<T> => {
  for (let n = 1; n <= 100; n++) {
    const answer = await call(n);
    if (!answer.value.ok) return answer;
  }
  throw new Error('it always worked');
};

const makeRoom = ({ raw, bench: { make } }: NatsScene) =>
  raw.manager.streams.purge(streamNames.blobs, { filter: `mesh.v1.${make.tenant}.blob.${make.job}.>` });

const ownFolder = async () => {
  const path = await mkdtemp(join(tmpdir(), 'foldmesh-store-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
};
