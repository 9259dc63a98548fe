import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { cutReader } from './mesh/cut-reader.ts';
import { openEvents, readEvents } from './mesh/event-reader.ts';
import { seeded } from './mesh/kills.ts';
import type { MeshClient } from './mesh/mesh-client.ts';
import { type RealMesh, realMesh } from './mesh/real-mesh.ts';

const timeout = 300_000;
const endings = ['job-completed', 'job-failed', 'job-cancelled', 'job-refused'];

describe('two managers', () => {
  it('serve any request of any job, whichever is asked', { timeout }, async () => {
    await using mesh = await realMesh({ managers: 2, workers: 2 });
    const [first, second] = clientsOf(mesh);
    const job = await first.submit(asking, 'asking');
    const heard = await openEvents(second.url, job);
    const asked = await eventually(async () => (await second.record(job)).requests[0] ?? null, {
      withinMs: 60_000,
    });
    const answer = { value: 'yes' };
    expect((await second.post(`/v1/jobs/${job}/inputs/${asked.request}`, answer)).status).toBe(202);
    // One answer stands, whoever is asked to take the next.
    expect((await first.post(`/v1/jobs/${job}/inputs/${asked.request}`, { value: 'no' })).status).toBe(409);
    await eventually(async () => {
      const { tasks } = await second.record(job);
      expect(tasks.find(({ id }) => id === 'sleep')?.status).toBe('running');
    });
    expect((await first.post(`/v1/jobs/${job}/cancel`, {})).status).toBe(202);
    const { names, ids } = await heard.whole;
    expect(names.filter((name) => name.startsWith('input-'))).toEqual(['input-asked', 'input-answered']);
    expect(names.filter((name) => endings.includes(name))).toEqual(['job-cancelled']);
    expect(names.at(-1)).toBe('job-cancelled');
    expect((await readEvents(first.url, job)).ids).toEqual(ids);
    expect(await first.record(job)).toEqual(await second.record(job));
    expect(await second.submit(asking, 'asking')).toBe(job);
  });

  it('tell 500 events once and in order to a client that is cut 30 times and moved between them', {
    timeout,
  }, async () => {
    const { seed, random } = seeded();
    await using mesh = await realMesh({ managers: 2, workers: 2 });
    const [first, second] = clientsOf(mesh);
    const job = await first.submit(manyTasks(600));
    const isOver = async () => (await first.record(job)).ended_at !== undefined;
    const reader = await cutReader([first.url, second.url], job, {
      cuts: 30,
      eventsMax: 500,
      random,
      isOver,
    });
    const whole = [await readEvents(first.url, job), await readEvents(second.url, job)];
    expect(whole[0]).toEqual(whole[1]);
    expect(reader.ids, `seed ${seed}`).toEqual(whole[0]?.ids);
    expect(new Set(reader.ids).size).toBe(reader.ids.length);
    expect(reader.ids.length).toBeGreaterThanOrEqual(500);
    expect(reader.names.filter((name) => endings.includes(name))).toEqual(['job-completed']);
    expect(reader.names.at(-1)).toBe('job-completed');
    expect(reader.cuts).toBe(30);
    process.stdout.write(
      `${reader.ids.length} events over ${reader.connections} connections, cut ${reader.cuts} times (${reader.live} of them before the end): seed ${seed}\n`,
    );
  });
});

/** Asks a person, and then takes its time. */
const asking = {
  name: 'asking',
  plan: {
    tasks: [
      { id: 'ask', agent: 'test.asker', input: { question: 'Go on?' } },
      { id: 'sleep', skill: 'debug.sleep', input: { ms: 60_000 }, depends_on: ['ask'] },
    ],
  },
};

const manyTasks = (count: number) => ({
  name: 'many',
  split: 'always',
  plan: {
    tasks: [
      {
        id: 'each',
        skill: 'debug.sleep',
        for_each: Array.from({ length: count }, (_, n) => n),
        concurrency: 8,
        input: { ms: 20, n: '${item}' },
      },
    ],
  },
});

const clientsOf = ({ clients }: RealMesh): readonly [MeshClient, MeshClient] => {
  const [first, second] = clients;
  if (first === undefined || second === undefined) throw new Error('there are no two managers');
  return [first, second];
};
