import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@foldmesh/system';
import { type ChildProcess, freePort, natsServer, redisServer } from '@foldmesh/testbed';
import type { Extent } from '../extent.ts';
import { takeTurns } from '../measure/take-turns.ts';
import { meshProcess } from '../mesh/mesh-process.ts';
import { type Footprint, footprintArguments, footprintOf } from './footprint.ts';
import { measureOpenJobs, openJobsName } from './open-jobs.ts';

/** One start of one service. */
export interface ServiceRound extends Footprint {
  /** From before its process is made until it says that it is ready. */
  readonly startMs: number;
}

export interface ServicesMeasured {
  readonly starts: ReadonlyMap<string, readonly ServiceRound[]>;
  /** What the manager grows by with each of more open jobs, in bytes; empty where that was not asked for. */
  readonly openJobs: readonly Footprint[];
}

/** Starts every service in turn, alone, on servers that are up; then leaves jobs open in a manager. */
export const measureServices = async (extent: Extent): Promise<ServicesMeasured> => {
  const services = extent.layers.services.filter((name) => name.includes(extent.match));
  const withJobs = openJobsName.includes(extent.match);
  if (services.length === 0 && !withJobs) return { starts: new Map(), openJobs: [] };
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-bench-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const nats = opened.use(await natsServer());
  const redis = opened.use(await redisServer());
  const nodeArguments = [...extent.nodeArguments, ...footprintArguments];
  const start = async (service: string): Promise<ChildProcess> => {
    const environment = {
      NATS_URL: nats.url,
      REDIS_URL: redis.url,
      FOLDMESH_LOG: 'warn',
      FOLDMESH_WORKER_SLOTS: '1',
      FOLDMESH_API_PORT: String(await freePort()),
    };
    return meshProcess(service, environment, folder, nodeArguments);
  };
  const starts = await takeTurns(
    services.map((name) => ({ name })),
    extent.rounds,
    async ({ name }): Promise<ServiceRound> => {
      const begun = systemClock.monotonic();
      await using child = await start(name);
      const startMs = systemClock.monotonic() - begun;
      return { startMs, ...(await footprintOf(child, 1)) };
    },
    extent.say,
  );
  return { starts, openJobs: withJobs ? await measureOpenJobs(extent, nats.url, start) : [] };
};
