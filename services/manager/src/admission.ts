import {
  type Envelope,
  type Fault,
  fault,
  ok,
  type PoolName,
  type Queue,
  type Result,
} from '@foldmesh/envelope';
import { checkJob } from '@foldmesh/job';
import type { Ports } from '@foldmesh/ports';
import type { CatalogueView } from './catalogue-view.ts';

/** How much may wait before new jobs are turned away. */
export interface AdmissionSettings {
  /** Messages of one pool, waiting and in flight. */
  readonly backlogMax: number;
}

export const defaultAdmission: AdmissionSettings = { backlogMax: 10_000 };

/** The door closes here, so that what was accepted has room to end: a share of any store. */
export const filledMax = 0.8;
/** For how long a number that was read counts, with what was admitted since added to it. Milliseconds. */
const freshMs = 200;
const retryAfterMs = 2_000;

/** Says why a job may not come in now, or nothing. */
export type Admission = (envelope: Envelope<'job.submit'>) => Promise<Fault | undefined>;

/**
 * Decided before the first entry: a job that is turned away has left nothing behind. Numbers are read a few times a second
 * at most, and each job that is let in counts at once, so that a crowd does not pass on one old number.
 */
export const admission = (
  { bus, clock }: Pick<Ports, 'bus' | 'clock'>,
  catalogue: CatalogueView,
  { backlogMax }: AdmissionSettings,
): Admission => {
  const filled = lately(clock, () => filledIn(bus));
  const backlogs = new Map<PoolName, Reading>();
  const backlogOf = (pool: PoolName): Reading => {
    const known = backlogs.get(pool) ?? lately(clock, () => waitingIn(bus, pool));
    backlogs.set(pool, known);
    return known;
  };
  return async (envelope) => {
    await filled.refresh();
    const full = filled.now();
    if (full >= filledMax) return turnedAway(`the journal's stores are ${Math.round(full * 100)} % full`);
    const checked = await checkedLately(envelope, catalogue);
    // What cannot be run is refused where everything is.
    if ('problems' in checked) return undefined;
    const pools = [...new Set(checked.tasks.map(({ pool }) => pool))];
    for (const pool of pools) await backlogOf(pool).refresh();
    // Nothing is awaited from here on: of a crowd that waited together each sees who was let in before it.
    for (const pool of pools) {
      const waiting = backlogOf(pool).now();
      if (waiting >= backlogMax)
        return turnedAway(`${waiting} messages wait for pool ${pool}, the limit is ${backlogMax}`);
    }
    for (const pool of pools) backlogOf(pool).add(1);
    return undefined;
  };
};

/** Looked at again with what the pools offer now: whoever let it pass at the door may have known of them sooner. */
const checkedLately = async ({ payload }: Envelope<'job.submit'>, catalogue: CatalogueView) => {
  const checked = checkJob(payload, catalogue);
  if (!('problems' in checked)) return checked;
  await catalogue.refresh();
  return checkJob(payload, catalogue);
};

const turnedAway = (why: string): Fault =>
  fault('throttled', why, { source: 'admission', retry_after_ms: retryAfterMs });

const filledIn = async (bus: Ports['bus']): Promise<Result<number>> => {
  const filled = await bus.filled();
  return filled.ok ? ok(filled.value.share) : filled;
};

const waitingIn = async (bus: Ports['bus'], pool: PoolName): Promise<Result<number>> => {
  let waiting = 0;
  for (const lane of ['call', 'decide'] as const) {
    const queue: Queue = { service: 'worker', pool, lane };
    const standing = await bus.standing(queue);
    if (!standing.ok) return standing;
    waiting += standing.value.waiting + standing.value.in_hand;
  }
  return { ok: true, value: waiting };
};

interface Reading {
  /** Reads it anew once it is old, by one asker for all. */
  refresh(): Promise<void>;
  /** What was read last, and what was added since. A store that does not answer is no reason to take on less: the append will say so. */
  now(): number;
  /** Counts until the next reading, which has it. */
  add(more: number): void;
}

const lately = (clock: Ports['clock'], ask: () => Promise<Result<number>>): Reading => {
  let base = 0;
  let since = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    readAt = clock.monotonic();
    const before = since;
    const answer = await ask();
    if (answer.ok) base = answer.value;
    // Whoever was let in while it was read may not be in it; and what cannot be read must not fill up by counting alone.
    since -= before;
    reading = undefined;
  };
  return {
    refresh: () => {
      if (reading === undefined && clock.monotonic() - readAt >= freshMs) reading = read();
      return reading ?? Promise.resolve();
    },
    now: () => base + since,
    add: (more) => {
      since += more;
    },
  };
};
