import { fail, fault, type JobId, ok, type Result, type TenantId } from '@foldmesh/envelope';
import type { Append, Appended, Entity, Journal, Recorded } from '@foldmesh/ports';
import { duplicateWindow } from './duplicate-window.ts';
import { groups } from './groups.ts';
import { type EmbeddedWorld, portCall, type Stand, standOf, streamFull, unanswered } from './stand.ts';

/** The journal in memory: one global sequence, an expected one per entity, and no honest word about one's own retries. */
export const embeddedJournal = (world: EmbeddedWorld): Journal => journalOn(standOf(world));

const source = 'embedded-journal';

export const journalOn = (stand: Stand): Journal => {
  const { clock, dice, settings, watch } = stand;
  const call = portCall(stand, source);
  const byEntity = new Map<string, Recorded[]>();
  const byJob = new Map<string, Recorded[]>();
  const followers = groups<() => void>();
  const window = duplicateWindow<number>(settings.duplicateWindowMs);
  let seq = 0;

  const entriesOf = (entity: Entity): readonly Recorded[] => byEntity.get(nameOf(entity)) ?? [];

  const store = (entity: Entity, entry: Uint8Array): number => {
    seq += 1;
    const recorded: Recorded = { entity, seq, entry };
    const job = jobName(entity);
    listIn(byEntity, nameOf(entity)).push(recorded);
    listIn(byJob, job).push(recorded);
    for (const wake of followers.of(job)) wake();
    watch.appended(recorded);
    return seq;
  };

  const append = ({ entity, entry, expected, id }: Append): Result<Appended> => {
    if (entry.length > settings.messageBytesMax)
      return fail(
        fault('overflow', `the entry has ${entry.length} bytes, the limit is ${settings.messageBytesMax}`, {
          source,
        }),
      );
    const before = window.recall(id, clock.monotonic());
    const fits = (entriesOf(entity).at(-1)?.seq ?? 0) === expected;
    // Older servers ask for the id first, newer ones for the sequence: theirs finds its own stored append in the way.
    if (before !== undefined && (fits || settings.ownRetry === 'stored'))
      return ok({ kind: 'stored', seq: before });
    if (!fits) return ok({ kind: 'conflict' });
    if (dice.hits('full')) return streamFull(source, 'the journal holds all that it may');
    const stored = store(entity, entry);
    window.remember(id, stored, clock.monotonic());
    if (dice.hits('conflictOwn')) return ok({ kind: 'conflict' });
    return dice.hits('loseAppendReply') ? unanswered(source) : ok({ kind: 'stored', seq: stored });
  };

  return {
    append: (wanted) => {
      const own = { ...wanted, entity: entityOf(wanted.entity), entry: wanted.entry.slice() };
      return call(() => append(own));
    },
    last: (entity) => call(() => ok(entriesOf(entity).slice(-1).map(copyOf)[0])),
    at: (entity, wanted) =>
      call(() => {
        const found = entriesOf(entity)[firstFrom(entriesOf(entity), wanted)];
        return ok(found && found.seq === wanted ? copyOf(found) : undefined);
      }),
    read: (entity, from, limit) =>
      call(() => {
        const entries = entriesOf(entity);
        const first = firstFrom(entries, from);
        return ok(entries.slice(first, first + limit).map(copyOf));
      }),
    follow: (of, from, signal) => {
      const job = jobName(of);
      return follow(listIn(byJob, job), from, signal, (wake) => {
        followers.add(job, wake);
        return () => followers.remove(job, wake);
      });
    },
  };
};

/** One list from beginning to end: the past and what comes are the same to a reader, so there is no seam between them. */
async function* follow(
  entries: readonly Recorded[],
  from: number,
  signal: AbortSignal,
  onGrowth: (wake: () => void) => () => void,
): AsyncGenerator<Recorded> {
  for (let next = firstFrom(entries, from); !signal.aborted; ) {
    const entry = entries[next];
    if (entry) {
      yield copyOf(entry);
      next += 1;
    } else await growthOf(signal, onGrowth);
  }
}

/** Resolves when there is more, or when nobody wants more. */
const growthOf = (signal: AbortSignal, onGrowth: (wake: () => void) => () => void): Promise<void> =>
  new Promise((resolve) => {
    const wake = (): void => {
      signal.removeEventListener('abort', wake);
      stop();
      resolve();
    };
    const stop = onGrowth(wake);
    signal.addEventListener('abort', wake, { once: true });
  });

/** Index of the first entry with `seq >= from`; sequences of a list only grow. */
const firstFrom = (entries: readonly Recorded[], from: number): number => {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.seq ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
};

const jobName = ({ tenant, job }: { readonly tenant: TenantId; readonly job: JobId }): string =>
  `${tenant}/${job}`;

const nameOf = (entity: Entity): string =>
  entity.run ? `${jobName(entity)}/${entity.run.task}/${entity.run.round}` : jobName(entity);

const entityOf = ({ tenant, job, run }: Entity): Entity =>
  Object.freeze({ tenant, job, ...(run && { run: Object.freeze({ task: run.task, round: run.round }) }) });

const copyOf = (recorded: Recorded): Recorded => ({ ...recorded, entry: recorded.entry.slice() });

const listIn = (lists: Map<string, Recorded[]>, name: string): Recorded[] => {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
};
