import type { JobId, TenantId } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import { type JobFeed, jobFeed } from './job-feed.ts';
import type { Room } from './latest.ts';

/** The feeds of the jobs that somebody at this process reads: one for each job, shared by its readers. */
export interface EventHub {
  /** Whether as many read as may: the next should ask another process. */
  isFull(): boolean;
  /**
   * The feed of a job, which begins at `from` where nobody reads it yet; undefined where as many read as may. The reader
   * leaves it by disposing.
   */
  join(entity: { readonly tenant: TenantId; readonly job: JobId }, from: number): JoinedFeed | undefined;
}

export interface JoinedFeed extends AsyncDisposable {
  readonly feed: JobFeed;
}

/** Readers of one process. Each costs what its connection buffers, and the entry that it is being sent. */
const readersMax = 1_000;

/** What one process holds for the readers of all jobs. Bytes. */
const roomBytes = 64 * 1024 * 1024;

export const eventHub = (ports: Ports): EventHub => {
  const feeds = new Map<string, { readonly feed: JobFeed; readers: number }>();
  const room: Room = { bytesMax: roomBytes, bytes: 0 };
  let readers = 0;
  return {
    isFull: () => readers >= readersMax,
    join(entity, from) {
      if (readers >= readersMax) return undefined;
      const name = `${entity.tenant}/${entity.job}`;
      const there = feeds.get(name);
      const shared =
        there === undefined || there.feed.isBroken()
          ? { feed: jobFeed(ports, entity, from, room), readers: 0 }
          : there;
      feeds.set(name, shared);
      shared.readers += 1;
      readers += 1;
      return {
        feed: shared.feed,
        async [Symbol.asyncDispose]() {
          shared.readers -= 1;
          readers -= 1;
          if (shared.readers > 0) return;
          if (feeds.get(name) === shared) feeds.delete(name);
          await shared.feed[Symbol.asyncDispose]();
        },
      };
    },
  };
};
