import type { JobRecord } from '@foldmesh/job';
import { eventually } from '@foldmesh/testbed';
import { expect } from 'vitest';
import { effectsOf } from './errand-load.ts';
import type { Absence } from './outage-form.ts';
import type { RealMesh } from './real-mesh.ts';
import { streamStates } from './stream-state.ts';

/** Every accepted job has done all that it was to do, each thing once, and nobody else has done anything (M1, M2). */
export const expectAllDone = async (
  mesh: RealMesh,
  accepted: Accepted,
  withinMs = 120_000,
): Promise<void> => {
  const records = await endedRecords(mesh, accepted, withinMs);
  expect(records.filter(({ status }) => status !== 'completed').map(briefly)).toEqual([]);
  for (const { name, result } of records) expect(result).toEqual([`${name}/tidy/0`, `${name}/tidy/1`]);
  const rows = (await mesh.rows()).map(({ effect }) => effect);
  expect(rows.toSorted()).toEqual(records.flatMap(({ name }) => effectsOf(name)).toSorted());
};

/**
 * After the dedup store has forgotten, what nobody can know is said (M2): a job has done everything, the unsafe effect
 * once; or it was under way while the store was away, says of that effect that its outcome is unknown, and then it has happened
 * at most once. What may be repeated has been done under one key.
 */
export const expectDoneOrUnknown = async (
  mesh: RealMesh,
  accepted: Accepted,
  absences: readonly Absence[],
): Promise<readonly string[]> => {
  const records = await endedRecords(mesh, accepted, 120_000);
  const open = records.filter(({ status }) => status !== 'completed');
  for (const { name, tasks } of open) expect(briefly({ name, tasks })).toContain('once unknown');
  const wasUnderWay = ({ created_at, ended_at = created_at }: JobRecord): boolean =>
    absences.some(({ from, to }) => created_at <= to && ended_at >= from);
  expect(open.filter((record) => !wasUnderWay(record)).map(briefly)).toEqual([]);
  expect(open.length).toBeLessThanOrEqual(unknownMax * absences.length);
  const rows = await mesh.rows();
  const unknown = open.map(({ name }) => name);
  const wrong = records.flatMap(({ name }) =>
    effectsOf(name).flatMap((effect) => {
      const made = rows.filter((row) => row.effect === effect);
      const count = effect.includes('/once/') ? made.length : new Set(made.map(({ key }) => key)).size;
      return count === 1 || (count === 0 && unknown.includes(name)) ? [] : [`${effect}: ${count}`];
    }),
  );
  expect(wrong).toEqual([]);
  const meant = new Set(records.flatMap(({ name }) => effectsOf(name)));
  expect(rows.filter(({ effect }) => !meant.has(effect))).toEqual([]);
  process.stdout.write(
    `${unknown.length} of ${records.length} jobs say that an outcome is unknown; ${rows.length} rows of ${meant.size} effects\n`,
  );
  return unknown;
};

/**
 * For about a second after a return it may be noted of what is decided that it rests on the store before: then that is
 * unknown of a few jobs of a light load, and of some more where the machine is busy.
 */
const unknownMax = 6;

type Accepted = ReadonlyMap<string, string>;

const endedRecords = async (mesh: RealMesh, accepted: Accepted, withinMs: number): Promise<JobRecord[]> => {
  const records: JobRecord[] = [];
  for (const id of accepted.values()) records.push(await mesh.client.ended(id, withinMs));
  const slowest = Math.max(...records.map(({ created_at, ended_at = created_at }) => ended_at - created_at));
  process.stdout.write(`the slowest of ${records.length} jobs took ${slowest} ms\n`);
  return records;
};

/** One line of a job, for whoever has to find out what went wrong. */
const briefly = ({ name, tasks }: Pick<JobRecord, 'name' | 'tasks'>): string =>
  [
    name,
    ...tasks.map(({ id, status, fault, open }) => `${id} ${status} ${fault?.detail ?? open?.detail ?? ''}`),
  ].join('; ');

/** Nothing waits or is held (M3), and nothing has died but these. */
export const expectNothingPending = async (mesh: RealMesh, withinMs = 90_000, dead = 0): Promise<void> => {
  await eventually(
    async () => {
      const states = await streamStates(mesh.nats);
      const left = Object.entries(states).filter(
        ([name, { messages, pending }]) =>
          ['MESH_SUBMIT', 'MESH_WORK', 'MESH_DEAD'].includes(name) &&
          messages + pending > (name === 'MESH_DEAD' ? dead : 0),
      );
      expect(left).toEqual([]);
      expect(Object.keys(states)).toContain('MESH_JOURNAL');
    },
    { withinMs, everyMs: 200 },
  );
};

/** Which processes the mesh is; they stay, whatever the servers do. */
export const pidsOf = (mesh: RealMesh): readonly number[] => mesh.all.map(({ child }) => child().pid);

/** The same processes as before live, and say that they are ready. */
export const expectSameProcesses = async (mesh: RealMesh, pids: readonly number[]): Promise<void> => {
  expect(pidsOf(mesh)).toEqual(pids);
  for (const { healthUrl, ready } of mesh.all) {
    expect((await fetch(`${healthUrl}/livez`)).status).toBe(200);
    await ready();
  }
};
