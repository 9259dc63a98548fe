import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { expectNothingPending } from './mesh/expect-settled.ts';
import type { Answer, MeshClient } from './mesh/mesh-client.ts';
import { natsRequest } from './mesh/nats-request.ts';
import { expectTurnedAway } from './mesh/outage.ts';
import { type RealMesh, realMesh } from './mesh/real-mesh.ts';
import { consumersOf, streamStates } from './mesh/stream-state.ts';

const timeout = 300_000;

describe('a mesh that is asked for more than it can do', () => {
  it('takes on what its backlog allows, refuses the rest, and ends what it took', { timeout }, async () => {
    await using mesh = await realMesh({ environment: { FOLDMESH_ADMISSION_BACKLOG_MAX: '100' } });
    for (const { child } of mesh.workers) child().kill('SIGTERM');
    for (const { child } of mesh.workers) expect(await child().ended).toBe(0);
    const names = Array.from({ length: 300 }, (_, job) => `job-${job}`);
    const answers = await crowd(mesh.client, names, 20);
    const refused = names.filter((name) => answers.get(name)?.status !== 202);
    for (const name of refused) expectTurnedAway(answers.get(name) ?? lost);
    // Of those who were left without an answer some lie at the door yet.
    await eventually(async () => expect((await streamStates(mesh.nats))['MESH_SUBMIT']).toEqual(empty), {
      withinMs: 30_000,
    });
    const accepted = await jobsOf(mesh.client, ['queued', 'planning', 'running', 'waiting']);
    say(
      `backlog of 100: ${names.length - refused.length} answered 202, ${accepted.length} accepted`,
      answers,
    );
    // What waits is counted a few times a second, so a crowd may pass by some; never by another whole limit.
    expect(accepted.length).toBeGreaterThanOrEqual(90);
    expect(accepted.length).toBeLessThan(200);
    for (const worker of mesh.workers) await worker.start();
    await expectEnded(mesh, accepted);
    await expectNothingPending(mesh);
    const again = refused.filter((name) => !accepted.includes(name)).slice(0, 40);
    await crowdUntilAccepted(mesh.client, again);
    await expectEnded(mesh, [...accepted, ...again]);
    await expectNothingPending(mesh);
  });

  it('says at a full door that it is full, and does what lay there once somebody reads it', {
    timeout,
  }, async () => {
    await using mesh = await realMesh({ environment: { FOLDMESH_ADMISSION_DOOR_MAX: '20' } });
    const names = Array.from({ length: 60 }, (_, job) => `job-${job}`);
    await pauseDoor(mesh, 600_000);
    const answers = await crowd(mesh.client, names, 20);
    for (const name of names) expectTurnedAway(answers.get(name) ?? lost);
    say('a door for 20', answers);
    const stored = names.filter((name) => codeIn(answers.get(name)) === 'unanswered');
    expect(stored).toHaveLength(20);
    expect(await mesh.rows()).toEqual([]);
    await pauseDoor(mesh, 0);
    // Nobody comes again for them; they were told that it may still be.
    await eventually(async () => expect(await jobsOf(mesh.client)).toEqual(stored.toSorted()), {
      withinMs: 60_000,
    });
    await expectEnded(mesh, stored);
    await crowdUntilAccepted(mesh.client, names);
    await expectEnded(mesh, names);
    await expectNothingPending(mesh);
  });
});

const empty = { messages: 0, pending: 0 };

const lost: Answer = { status: 0, retryAfter: null, body: 'no answer' };

/** One task, one message, one side effect that must not be tried twice. */
const jobCalled = (name: string) => ({
  name,
  plan: {
    tasks: [{ id: 'a', skill: 'test.errands', input: { name, count: 1, ms: 0, tool: 'witness.unsafe' } }],
  },
});

const submit = (client: MeshClient, name: string): Promise<Answer> =>
  client.post('/v1/jobs', jobCalled(name), { 'idempotency-key': name });

/** So many clients at a time, each with its own job and key. */
const crowd = async (
  client: MeshClient,
  names: readonly string[],
  together: number,
): Promise<ReadonlyMap<string, Answer>> => {
  const answers = new Map<string, Answer>();
  for (let from = 0; from < names.length; from += together)
    await Promise.all(
      names.slice(from, from + together).map(async (name) => answers.set(name, await submit(client, name))),
    );
  return answers;
};

/** Clients that come again as they were told to. */
const crowdUntilAccepted = async (client: MeshClient, names: readonly string[]): Promise<void> => {
  await Promise.all(
    names.map((name) =>
      eventually(async () => expect((await submit(client, name)).status).toBe(202), {
        withinMs: 60_000,
        everyMs: 1_000,
      }),
    ),
  );
};

interface Page {
  readonly jobs: readonly { readonly name: string; readonly status: string }[];
  readonly next?: string;
}

/** The names of all jobs that the mesh knows of, or of those in these states. */
const jobsOf = async (client: MeshClient, statuses: readonly string[] = []): Promise<readonly string[]> => {
  const names: string[] = [];
  const query = statuses.map((status) => `&status=${status}`).join('');
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { body } = await client.get(
      `/v1/jobs?limit=100${query}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    const { jobs, next } = body as Page; // as the API documents it
    names.push(...jobs.map(({ name }) => name));
    cursor = next;
  }
  return names.toSorted();
};

/** These jobs and no others have completed, and each has done what it was to do once. */
const expectEnded = async (mesh: RealMesh, names: readonly string[]): Promise<void> => {
  const all = names.toSorted();
  await eventually(async () => expect(await jobsOf(mesh.client, ['completed'])).toEqual(all), {
    withinMs: 90_000,
    everyMs: 200,
  });
  expect(await jobsOf(mesh.client)).toEqual(all);
  expect((await mesh.rows()).map(({ effect }) => effect).toSorted()).toEqual(
    all.map((name) => `${name}/0`).toSorted(),
  );
};

/** Nobody is given what lies at the door, as if every manager were away; the API stays. Needs a server of 2.11. */
const pauseDoor = async (mesh: RealMesh, ms: number): Promise<void> => {
  const consumers = await consumersOf(mesh.nats, 'MESH_SUBMIT');
  expect(consumers.length).toBeGreaterThan(0);
  const pause_until = new Date(ms === 0 ? 0 : Date.now() + ms).toISOString();
  for (const consumer of consumers)
    expect(
      await natsRequest(mesh.nats, `$JS.API.CONSUMER.PAUSE.MESH_SUBMIT.${consumer}`, { pause_until }),
    ).toMatchObject({ paused: ms > 0 });
};

const codeIn = (answer: Answer | undefined): string | undefined =>
  (answer?.body as { readonly code?: string } | undefined)?.code; // problem details have one

/** For people: what was answered, and how often. */
const say = (what: string, answers: ReadonlyMap<string, Answer>): void => {
  const counts = new Map<string, number>();
  for (const answer of answers.values()) {
    const kind = `${answer.status} ${codeIn(answer) ?? ''} ${answer.retryAfter ?? ''}`.trim();
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  process.stdout.write(`${what}: ${JSON.stringify(Object.fromEntries(counts))}\n`);
};
