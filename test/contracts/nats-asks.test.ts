import { openJetStream } from '@foldmesh/jetstream';
import { defaultTimings } from '@foldmesh/jetstream/internal';
import { systemClock } from '@foldmesh/system';
import { eventually, natsServer } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { appendOf, textsOf } from './journal-hands.ts';
import { hastyTimings, natsScene, timed } from './nats-scene.ts';
import { faultOf, got } from './rig.ts';

const timeoutMs = 60_000;
/** Longer than any of these tests: whoever is told sooner was not told by a timer. */
const requestMs = 50_000;
const atOnceMsMax = 20_000;

const permitted = (denied: string) => ({
  config: [
    'authorization { users: [{ user: mesh, password: mesh, permissions: {',
    `  publish: { deny: [${JSON.stringify(denied)}] }`,
    '} }] }',
  ],
});

describe.concurrent('what is asked of a server', { timeout: timeoutMs }, () => {
  it('and not allowed is refused at once, by the subject; what is allowed goes on', async () => {
    await using server = await natsServer(permitted('mesh.v1.*.index.>'));
    const settings = {
      url: server.url.replace('//', '//mesh:mesh@'),
      name: 'asks',
      clock: systemClock,
      log: () => undefined,
      timings: { ...defaultTimings, requestMs },
    };
    await using ports = got(await openJetStream(settings, AbortSignal.timeout(timeoutMs)));
    got(await ports.topology());
    const { value, ms } = await timed(() => ports.index.put('mesh.v1.local.index.j-1', 1));
    const refused = faultOf(value);
    expect(refused.kind).toBe('refused');
    expect(refused.detail).toContain('publish on mesh.v1.local.index.j-1');
    expect(ms).toBeLessThan(atOnceMsMax);
    expect(got(await ports.index.list('mesh.v1.local.index.'))).toEqual([]);
  });

  it('is given up one by one where nothing is answered, however many ask; a late answer is nobody’s', async () => {
    await using scene = await natsScene({ timings: hastyTimings });
    const { bench, ports, proxy } = scene;
    const entity = bench.make.entity();
    proxy.dropReplies((bytes) => bytes.toString('latin1').includes('"stream":"MESH_INDEX"'));
    const puts = Array.from({ length: 40 }, (_, at) =>
      ports.index.put(`mesh.v1.local.index.${entity.job}`, at),
    );
    for (const put of await Promise.all(puts)) expect(faultOf(put).kind).toBe('unanswered');
    got(await ports.journal.append(appendOf(bench, entity, 'a', 0)));
    expect(await textsOf(bench, entity)).toEqual(['a']);
  });

  it('and open when the connection is closed is unavailable then, and not when its time is up', async () => {
    await using scene = await natsScene({ timings: { ...hastyTimings, requestMs } });
    const { bench, proxy } = scene;
    const ports = await scene.open();
    proxy.dropReplies((bytes) => bytes.toString('latin1').includes('"stream":"MESH_INDEX"'));
    const put = timed(() => ports.index.put(`mesh.v1.local.index.${bench.make.entity().job}`, 1));
    await eventually(() => proxy.counts().repliesDropped === 1);
    await ports[Symbol.asyncDispose]();
    const { value, ms } = await put;
    expect(faultOf(value).kind).toBe('unavailable');
    expect(ms).toBeLessThan(atOnceMsMax);
  });
});
