import { join } from 'node:path';
import { revokeKey } from '@foldmesh/manager';
import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { keyRing } from './mesh/key-ring.ts';
import { type MeshClient, meshClient } from './mesh/mesh-client.ts';
import { type RealMesh, realMesh } from './mesh/real-mesh.ts';

const timeout = 240_000;
const tenants = ['acme', 'umbrella'] as const;
type Tenant = (typeof tenants)[number];
const other = { acme: 'umbrella', umbrella: 'acme' } as const;
const own = join(import.meta.dirname, 'mesh/tenants');

describe('two tenants of one mesh of processes', () => {
  it('have jobs, keys, memory and values of their own', { timeout }, async () => {
    await using ring = await keyRing();
    const keys = { acme: await ring.make('acme', 'submit'), umbrella: await ring.make('umbrella', 'submit') };
    await using mesh = await realMesh({
      managers: 2,
      workers: 2,
      keys: { file: ring.path, text: keys.acme.text },
      environment: {
        FOLDMESH_AGENTS: join(own, 'agents'),
        FOLDMESH_SCRIPTS: join(own, 'scripts'),
      },
    });
    const clientOf = (tenant: Tenant, replica = 0): MeshClient =>
      meshClient(mesh.clients[replica]?.url ?? '', keys[tenant].text);
    // Side by side, under the same names and the same idempotency keys.
    const jobs = await Promise.all(
      tenants.map(async (tenant) => [tenant, await runAll(clientOf(tenant), tenant)] as const),
    );
    for (const [tenant, ids] of jobs) {
      const client = clientOf(tenant, 1);
      for (const id of ids) expect(await client.ended(id)).toMatchObject({ status: 'completed' });
      await expectOwnFacts(client, tenant);
      await expectHidden(mesh, clientOf(other[tenant], 1), ids);
    }
    expect(new Set(jobs.flatMap(([, ids]) => ids)).size).toBe(2 * jobsEach);
  });

  it('lose a key within seconds of its being revoked, and no request besides', { timeout }, async () => {
    await using ring = await keyRing();
    const [kept, lost] = [await ring.make('acme', 'submit'), await ring.make('acme', 'read')];
    await using mesh = await realMesh({ workers: 1, keys: { file: ring.path, text: kept.text } });
    const client = meshClient(mesh.client.url, lost.text);
    expect((await client.get('/v1/jobs')).status).toBe(200);
    expect((await client.post('/v1/jobs', sleeper)).status).toBe(403);
    expect((await meshClient(mesh.client.url).get('/v1/jobs')).status).toBe(401);
    const job = await mesh.client.submit(sleeper);
    const stream = await fetch(`${client.url}/v1/jobs/${job}/events`, {
      headers: { authorization: `Bearer ${lost.text}` },
    });
    expect(stream.status).toBe(200);
    await revokeKey(ring.file, lost.id);
    await eventually(async () => expect((await client.get('/v1/jobs')).status).toBe(401));
    // Whoever listens is told no more, at the latest with the next sign of life.
    expect(await stream.text()).not.toContain('event: job-cancelled');
    expect((await mesh.client.get(`/v1/jobs/${job}`)).status).toBe(200);
    expect(await mesh.manager.reasons()).toEqual([]);
  });
});

const sleeper = {
  name: 'sleeper',
  plan: { tasks: [{ id: 'a', skill: 'debug.sleep', input: { ms: 60_000 } }] },
};

const jobsEach = 12;

/** Jobs that remember and that carry large values: of both tenants the same, but for who they are. */
const runAll = (client: MeshClient, tenant: Tenant): Promise<readonly string[]> =>
  Promise.all(
    Array.from({ length: jobsEach }, (_, n) => {
      const large = 'x'.repeat(100_000);
      const tasks =
        n % 2 === 0
          ? [{ id: 'a', agent: `test.sees-${tenant}`, input: { tenant } }]
          : [
              { id: 'a', skill: 'debug.echo', input: large },
              { id: 'b', skill: 'debug.echo', input: '${tasks.a.output}' },
            ];
      return client.submit({ name: `job-${n}`, plan: { tasks } }, `key-${n}`);
    }),
  );

/** An agent of this tenant sees what its own have remembered, and nothing of the other's. */
const expectOwnFacts = async (client: MeshClient, tenant: Tenant): Promise<void> => {
  for (const of of tenants) {
    const task = { id: 'a', agent: `test.sees-${of}`, input: { tenant } };
    const job = await client.submit({ name: 'look', plan: { tasks: [task], result: '${tasks.a.output}' } });
    expect([of, (await client.ended(job)).result]).toEqual([of, { sees: of === tenant }]);
  }
};

/** To the other tenant these jobs are not there. */
const expectHidden = async (mesh: RealMesh, stranger: MeshClient, ids: readonly string[]): Promise<void> => {
  const { body } = await stranger.get('/v1/jobs?limit=200');
  for (const id of ids) {
    expect(JSON.stringify(body)).not.toContain(id);
    for (const path of ['', '/events'])
      expect((await stranger.get(`/v1/jobs/${id}${path}`)).status).toBe(404);
    expect((await stranger.post(`/v1/jobs/${id}/cancel`, {})).status).toBe(404);
  }
  expect(mesh.managers).toHaveLength(2);
};
