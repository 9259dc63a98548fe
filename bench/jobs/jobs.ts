import { systemClock } from '@foldmesh/system';
import type { Extent } from '../extent.ts';
import { cpuDuring } from '../measure/process-cpu.ts';
import { quantile } from '../measure/spread.ts';
import { takeTurns } from '../measure/take-turns.ts';
import { bullmqJobs } from './bullmq-jobs.ts';
import { foldmeshJobs } from './foldmesh-jobs.ts';
import { type JobContender, type JobMesh, tasksPerJob } from './job-mesh.ts';
import { installPeers } from './peers.ts';
import { restateJobs } from './restate-jobs.ts';

/** One round of one system. Times in milliseconds, processor times in microseconds for each job. */
export interface JobsRound {
  readonly jobsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuUs: Readonly<Record<string, number>>;
  /** What the servers were asked for each job at saturation, where that is known. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface JobsMeasured {
  readonly contenders: readonly JobContender[];
  readonly rounds: ReadonlyMap<string, readonly JobsRound[]>;
  /** Why there are no peers, where there are none. */
  readonly missing: string | undefined;
}

const ours: readonly JobContender[] = [
  { ...foldmeshJobs({ workers: 1, door: 'bus', split: 'always' }), inShort: true },
  foldmeshJobs({ workers: 1, door: 'bus', split: 'auto' }),
  { ...foldmeshJobs({ workers: 1, door: 'api', split: 'auto' }), inShort: true },
  foldmeshJobs({ workers: 2, door: 'bus', split: 'always' }),
  foldmeshJobs({ workers: 1, door: 'bus', split: 'always', appendonly: 'everysec' }),
  foldmeshJobs({ workers: 1, door: 'bus', split: 'always', appendonly: 'everysec', syncAlways: true }),
];
const peers: readonly JobContender[] = [
  { ...bullmqJobs({ workers: 1 }), inShort: true },
  bullmqJobs({ workers: 2 }),
  bullmqJobs({ workers: 1, appendonly: 'everysec' }),
  bullmqJobs({ workers: 1, appendonly: 'always' }),
  { ...restateJobs({ synced: true }), inShort: true },
  restateJobs({ synced: false }),
];

export const measureJobs = async (extent: Extent): Promise<JobsMeasured> => {
  const missing = await installPeers();
  if (missing !== undefined) extent.say(`  the peers could not be had: ${missing}`);
  const all = missing === undefined ? [...ours, ...peers] : ours;
  const contenders = all.filter(
    ({ name, inShort = false }) => (inShort || extent.jobs.settings === 'all') && name.includes(extent.match),
  );
  await using opened = new AsyncDisposableStack();
  const running: { readonly name: string; readonly mesh: JobMesh }[] = [];
  for (const { name, open } of contenders) {
    extent.say(`  starts  ${name}`);
    running.push({ name, mesh: opened.use(await open(extent.jobs.slots, extent.nodeArguments)) });
  }
  const rounds = await takeTurns(running, extent.rounds, ({ mesh }) => jobsRound(mesh, extent), extent.say);
  return { contenders, rounds, missing };
};

const jobsRound = async (mesh: JobMesh, { jobs }: Extent): Promise<JobsRound> => {
  const pids = { ...mesh.pids, client: process.pid };
  const before = (await mesh.counts?.()) ?? {};
  const { value, cpuUs } = await cpuDuring(pids, () => saturate(mesh, jobs.inFlight, jobs.saturatedMs));
  const after = (await mesh.counts?.()) ?? {};
  const waits = await slowly(mesh, jobs.slowJobs, jobs.slowPerSecond);
  return {
    jobsPerSecond: value.done / (value.ms / 1_000),
    p50: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    cpuUs: perJob(cpuUs, {}, value.done),
    counts: perJob(after, before, value.done),
  };
};

const perJob = (
  after: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
  jobs: number,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(after).map(([name, count]) => [
      name,
      Number(((count - (before[name] ?? 0)) / jobs).toFixed(2)),
    ]),
  );

export const tasksPerSecond = ({ jobsPerSecond }: JobsRound): number => jobsPerSecond * tasksPerJob;

/** As many at once as are wanted, each followed by the next. */
const saturate = async (
  mesh: JobMesh,
  inFlight: number,
  forMs: number,
): Promise<{ readonly done: number; readonly ms: number }> => {
  const begun = systemClock.monotonic();
  let done = 0;
  const lane = async (): Promise<void> => {
    while (systemClock.monotonic() - begun < forMs) {
      await mesh.job();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return { done, ms: systemClock.monotonic() - begun };
};

/** So few that none meets another. */
const slowly = async (mesh: JobMesh, count: number, perSecond: number): Promise<readonly number[]> => {
  const waits: Promise<number>[] = [];
  for (let job = 0; job < count; job++) {
    const begun = systemClock.monotonic();
    waits.push(mesh.job().then(() => systemClock.monotonic() - begun));
    await systemClock.sleep(Math.max(0, begun + 1_000 / perSecond - systemClock.monotonic()));
  }
  return Promise.all(waits);
};
