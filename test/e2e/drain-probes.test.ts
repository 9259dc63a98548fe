import { eventually, freePort } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { drained, isDraining, submitAll } from './mesh/drains.ts';
import { oneErrand } from './mesh/errands.ts';
import { expectSameProcesses, pidsOf } from './mesh/expect-settled.ts';
import { expectReasons } from './mesh/outage.ts';
import { type MeshProcess, meshProcess, realMesh } from './mesh/real-mesh.ts';

const timeout = 180_000;
const livez = async ({ healthUrl }: MeshProcess): Promise<number> =>
  (await fetch(`${healthUrl}/livez`)).status;

describe('a process that waits for its servers', () => {
  it.each(['manager', 'worker', 'tool-gateway', 'memory'])(
    'says so, lives, and ends at once when it is told: %s',
    {
      timeout,
    },
    async (service) => {
      const one = await meshProcess(service, {
        PATH: process.env['PATH'] ?? '',
        NATS_URL: `nats://127.0.0.1:${await freePort()}`,
        REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
        FOLDMESH_API_PORT: String(await freePort()),
        FOLDMESH_MEMORY_PATH: ':memory:',
      });
      await using _ = one.child();
      await eventually(
        async () => expect((await one.reasons()).join()).toMatch(/waiting for NATS and Redis/),
        {
          withinMs: 60_000,
        },
      );
      expect(await livez(one)).toBe(200);
      const { how, ms } = await drained(one);
      expect(how).toBe(0);
      // Long before its grace is over, which is 25 s.
      expect(ms).toBeLessThan(10_000);
    },
  );
});

describe('a process of a mesh', () => {
  it('is not ready while it drains, and says why; it lives all the while', { timeout }, async () => {
    await using mesh = await realMesh({ workers: 1, environment: { FOLDMESH_GRACE_MS: '30000' } });
    const [worker] = mesh.workers;
    if (worker === undefined) throw new Error('a worker is needed');
    const job = oneErrand('long', { count: 6, ms: 1_000, tool: 'unsafe' });
    const ended = await submitAll(mesh.client, [job]);
    await eventually(async () => (await mesh.rows()).length > 0, { withinMs: 30_000 });
    const leave = drained(worker);
    await isDraining(worker);
    expect(await livez(worker)).toBe(200);
    expect((await leave).how).toBe(0);
    const [{ record } = { record: undefined }] = await ended();
    expect(record?.status).toBe('completed');
  });

  it('names the server that is away, lives on without it, and is ready again when it is back', {
    timeout,
  }, async () => {
    await using mesh = await realMesh({ workers: 1 });
    const pids = pidsOf(mesh);
    for (const [server, name] of [
      [mesh.redis, /redis/i],
      [mesh.nats, /nats/i],
    ] as const) {
      await server.stop();
      await expectReasons(mesh, name);
      for (const one of mesh.all) expect(await livez(one)).toBe(200);
      await server.restart();
      for (const one of mesh.all) await one.ready(30_000);
    }
    await expectSameProcesses(mesh, pids);
  });
});
