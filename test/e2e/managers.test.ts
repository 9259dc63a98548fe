import { describe, expect, it } from 'vitest';
import { errandJob, errandLoad } from './mesh/errand-load.ts';
import { expectAllDone, expectNothingPending, expectSameProcesses, pidsOf } from './mesh/expect-settled.ts';
import type { MeshClient } from './mesh/mesh-client.ts';
import { expectNobodyHung, passing } from './mesh/outage.ts';
import { type RealMesh, realMesh } from './mesh/real-mesh.ts';

const timeout = 300_000;
const loadMs = 10_000;

describe('two managers', () => {
  it('do all jobs right together, and either answers for any of them', { timeout }, async () => {
    await using mesh = await realMesh({ managers: 2, workers: 2 });
    const [first, second] = clientsOf(mesh);
    const pids = pidsOf(mesh);
    const load = errandLoad(mesh.clients, 100);
    await passing(loadMs);
    const followed = await first.submit(errandJob('followed', 300), 'followed');
    // The whole stream, and so the end of the job, from the manager that was not asked to do it.
    const events = await eventsOf(second, followed);
    expect(events.match(/^event: job-completed$/gm)).toHaveLength(1);
    expect(new Set(idsIn(events)).size).toBe(idsIn(events).length);
    expect(await eventsOf(first, followed)).toBe(events);
    const slept = await second.submit(sleeper);
    expect((await first.post(`/v1/jobs/${slept}/cancel`, {})).status).toBe(202);
    expect(await second.ended(slept)).toMatchObject({ status: 'cancelled' });
    // A key is one job, whoever is asked.
    expect(await second.submit(errandJob('followed', 300), 'followed')).toBe(followed);
    await load.stop();
    expectNobodyHung(load);
    await expectAllDone(mesh, new Map([...load.accepted, ['followed', followed]]));
    for (const id of load.accepted.values()) expect(await second.record(id)).toEqual(await first.record(id));
    await expectNothingPending(mesh);
    await expectSameProcesses(mesh, pids);
    process.stdout.write(`two managers: ${load.accepted.size} jobs in ${loadMs} ms\n`);
  });

  it('are one when the other is killed', { timeout }, async () => {
    await using mesh = await realMesh({ managers: 2, workers: 2 });
    const [, second] = clientsOf(mesh);
    const load = errandLoad(mesh.clients, 150);
    await passing(3_000);
    const inHand = await second.submit(errandJob('in-hand', 1_000), 'in-hand');
    mesh.manager.child().kill('SIGKILL');
    const began = performance.now();
    const probe = await second.submit(errandJob('probe'), 'probe');
    expect(await second.ended(probe, 30_000)).toMatchObject({ status: 'completed' });
    const tookMs = Math.round(performance.now() - began);
    await passing(3_000);
    await load.stop();
    const accepted = new Map([...load.accepted, ['in-hand', inHand], ['probe', probe]]);
    await expectAllDone({ ...mesh, client: second }, accepted);
    await expectNothingPending(mesh);
    process.stdout.write(
      `one of two managers was killed: a probe took ${tookMs} ms; ${accepted.size} jobs\n`,
    );
  });
});

const sleeper = {
  name: 'sleeper',
  plan: { tasks: [{ id: 'a', skill: 'debug.sleep', input: { ms: 60_000 } }] },
};

const clientsOf = ({ clients }: RealMesh): readonly [MeshClient, MeshClient] => {
  const [first, second] = clients;
  if (first === undefined || second === undefined) throw new Error('there are no two managers');
  return [first, second];
};

/** All that the stream of a job says until it ends. */
const eventsOf = async ({ url }: MeshClient, job: string): Promise<string> => {
  const response = await fetch(`${url}/v1/jobs/${job}/events`, { signal: AbortSignal.timeout(60_000) });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  // Comments say only that it lives, as often as it takes.
  return (await response.text()).replace(/^:.*\n\n?/gm, '');
};

const idsIn = (events: string): readonly string[] =>
  [...events.matchAll(/^id: (.+)$/gm)].map(([, id]) => id ?? '');
