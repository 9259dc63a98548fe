import { indexPrefix, indexSubject, JobId } from '@foldmesh/envelope';
import type { BlowKind } from './blows.ts';
import { tenant } from './client.ts';
import type { Evidence } from './evidence.ts';
import type { Plot } from './plot.ts';
import type { Stage } from './stage.ts';
import { tellJob } from './told.ts';

/** Longer than any blow lasts, and than a broker holds back what it was told late. */
const lastWordsMs = 20_000;

const factsMax = 1_000;

/** What is there when a story is over; then the services are stopped. */
export const gather = async (stage: Stage, healthyMs: number): Promise<Evidence> => {
  const { plot, world, outside, crew, observer, foreign } = stage;
  const { ports } = world;
  const indexed = await ports.index.list(indexPrefix(tenant));
  const facts = await ports.memory.query({ tenant, limit: factsMax });
  if (!indexed.ok || !facts.ok) throw new Error('a healed world cannot be read');
  const leases = world.doors.leases();
  const unacked = new Map([...observer.jobs].map(([name, job]) => [name, job.unacked]));
  const unmarked = plot.jobs
    .map(({ name }) => name)
    .filter((name) => !world.doors.isHalted(tenant, JobId.parse(name)));
  const jobs: Evidence['jobs'][number][] = [];
  for (const planned of plot.jobs) {
    const at = indexSubject({ tenant, job: JobId.parse(planned.name) });
    jobs.push({
      planned,
      told: await tellJob(ports, planned.name, observer.jobs.get(planned.name)),
      indexed: indexed.value.find(({ subject }) => subject === at)?.value,
    });
  }
  await crew.stopAll();
  await world.clock.sleep(lastWordsMs);
  return {
    jobs,
    witness: outside,
    facts: facts.value,
    observer,
    foreign,
    leases,
    unacked,
    unmarked: forgetsMarks(plot) ? [] : unmarked,
    holdsMayLapse: crew.deaths() > 0 || holdsMayLapse(plot),
    sleepers: world.clock.sleepers(),
    deaths: crew.deaths(),
    defects: crew.defects,
    healthyMs,
  };
};

/** A store that has lost what it knew has lost its marks, too. */
const forgetsMarks = ({ blows }: Plot): boolean =>
  blows.some(({ kind }) => kind === 'inbox-emptied' || kind === 'inbox-fails-over');

/** Whoever cannot renew for an ack wait has lost what they hold. */
const holdsMayLapse = ({ blows, faults, settings }: Plot): boolean =>
  blows.some(({ kind }) => lapsing.includes(kind)) ||
  (faults.unavailable ?? 0) > 0 ||
  (faults.loseRecord ?? 0) > 0 ||
  (settings.ackWaitMs ?? 0) < 6_000;

const lapsing: readonly BlowKind[] = [
  'stand-still',
  'link-cut',
  'inbox-away',
  'inbox-fails-over',
  'clock-jumps',
];
