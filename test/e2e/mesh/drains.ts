import { eventually } from '@foldmesh/testbed';
import type { MeshClient } from './mesh-client.ts';
import type { MixedJob } from './mixed-jobs.ts';
import type { EndedJob } from './mixed-load.ts';
import type { MeshProcess } from './real-mesh.ts';

/** How a process ended that was asked to; `at` and the time that it took in milliseconds. */
export interface Drained {
  readonly how: number | NodeJS.Signals;
  readonly at: number;
  readonly ms: number;
}

/** Asks a process to end, and says how and when it did. */
export const drained = async ({ child }: MeshProcess): Promise<Drained> => {
  const at = Date.now();
  child().kill('SIGTERM');
  const how = await child().ended;
  return { how, at, ms: Date.now() - at };
};

/** Submits each of these jobs; how they ended is asked for later. */
export const submitAll = async (
  client: MeshClient,
  jobs: readonly MixedJob[],
): Promise<() => Promise<readonly EndedJob[]>> => {
  const ids = await Promise.all(
    jobs.map(async (job) => ({ job, id: await client.submit(job.spec, job.name) })),
  );
  return () =>
    Promise.all(ids.map(async ({ job, id }) => ({ job, record: await client.ended(id, 120_000) })));
};

/** That it is told to end has reached it. */
export const isDraining = (one: MeshProcess): Promise<unknown> =>
  eventually(async () => (await one.reasons()).some((reason) => reason.includes('about to end')));
