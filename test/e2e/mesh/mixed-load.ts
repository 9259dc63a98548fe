import type { JobRecord } from '@foldmesh/job';
import type { MeshClient } from './mesh-client.ts';
import type { MixedJob } from './mixed-jobs.ts';

/** A job that has ended, and how. */
export interface EndedJob {
  readonly job: MixedJob;
  readonly record: JobRecord;
}

/** Jobs that come as fast as those before them end. */
export interface MixedLoad {
  /** Jobs that are accepted and have not ended. */
  readonly open: () => number;
  /** Begins no more, and waits for those that have been begun. */
  stop(): Promise<readonly EndedJob[]>;
}

const endMs = 120_000;

/** Keeps so many jobs going at once, until it is stopped. */
export const mixedLoad = (client: MeshClient, lanes: number, jobAt: (at: number) => MixedJob): MixedLoad => {
  const ended: EndedJob[] = [];
  let isOver = false;
  let begun = 0;
  let open = 0;
  const lane = async (): Promise<void> => {
    while (!isOver) {
      const job = jobAt(begun++);
      const id = await client.submit(job.spec, job.name);
      open += 1;
      ended.push({ job, record: await client.ended(id, endMs) });
      open -= 1;
    }
  };
  const all = Promise.allSettled(Array.from({ length: lanes }, lane));
  return {
    open: () => open,
    stop: async () => {
      isOver = true;
      for (const end of await all) if (end.status === 'rejected') throw end.reason;
      return ended;
    },
  };
};
