import {
  type Envelope,
  type Fault,
  fault,
  ok,
  type PoolName,
  type Queue,
  type Result,
} from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import type { CatalogueView } from './catalogue-view.ts';
import { checkedLately } from './not-yet-offered.ts';

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
/** From here on the next number is read already, so that where jobs come steadily none of them waits for it. Milliseconds. */
const aheadMs = 60;
const retryAfterMs = 2_000;

/** Why a job may not come in now. */
export interface KeptOut {
  readonly why: Fault;
  /** It is too early to say: the mesh looks again by itself. */
  readonly waits: boolean;
}

/** Says why a job may not come in now, or nothing. */
export type Admission = (envelope: Envelope<'job.submit'>) => Promise<KeptOut | undefined>;

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
    const { checked, tooEarly } = await checkedLately(envelope, catalogue, clock);
    const tasks = 'problems' in checked ? [] : checked.tasks;
    const pools = [...new Set(tasks.map(({ pool }) => pool))];
    await Promise.all([filled, ...pools.map(backlogOf)].map((reading) => reading.refresh()));
    // Nothing is awaited from here on: of a crowd that waited together each sees who was let in before it.
    const full = filled.now();
    if (full >= filledMax) return turnedAway(`the journal's stores are ${Math.round(full * 100)} % full`);
    if (tooEarly !== undefined) return { why: tooEarly, waits: true };
    // What cannot be run is refused where everything is.
    if ('problems' in checked) return undefined;
    for (const pool of pools) {
      const waiting = backlogOf(pool).now();
      if (waiting >= backlogMax)
        return turnedAway(`${waiting} messages wait for pool ${pool}, the limit is ${backlogMax}`);
    }
    for (const pool of pools) backlogOf(pool).add(1);
    return undefined;
  };
};

const turnedAway = (why: string): KeptOut => ({
  why: fault('throttled', why, { source: 'admission', retry_after_ms: retryAfterMs }),
  waits: false,
});

const filledIn = async (bus: Ports['bus']): Promise<Result<number>> => {
  const filled = await bus.filled();
  return filled.ok ? ok(filled.value.share) : filled;
};

const waitingIn = async (bus: Ports['bus'], pool: PoolName): Promise<Result<number>> => {
  const queues = (['call', 'decide'] as const).map((lane): Queue => ({ service: 'worker', pool, lane }));
  let waiting = 0;
  for (const standing of await Promise.all(queues.map((queue) => bus.standing(queue)))) {
    if (!standing.ok) return standing;
    waiting += standing.value.waiting + standing.value.in_hand;
  }
  return ok(waiting);
};

interface Reading {
  /** Reads it anew by one asker for all; resolves once what is known is fresh. */
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
    const [askedAt, before] = [clock.monotonic(), since];
    const answer = await ask();
    if (answer.ok) base = answer.value;
    // Whoever was let in while it was read may not be in it; and what cannot be read must not fill up by counting alone.
    since -= before;
    readAt = askedAt;
    reading = undefined;
  };
  return {
    refresh: async () => {
      const ageMs = clock.monotonic() - readAt;
      if (ageMs >= aheadMs) reading ??= read();
      if (ageMs >= freshMs) await reading;
    },
    now: () => base + since,
    add: (more) => {
      since += more;
    },
  };
};
