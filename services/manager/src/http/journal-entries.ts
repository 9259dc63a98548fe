import type { JournalEntry } from '@foldmesh/client';
import { ok, type Result } from '@foldmesh/envelope';
import type { Entity } from '@foldmesh/ports';
import { eventsOf, type Fold, isGone, readEntry } from '@foldmesh/runtime';
import type { Api } from './api-call.ts';
import { pageRoom } from './page-room.ts';

type Stores = Pick<Api, 'ports'>;

interface Reading {
  readonly from: number;
  readonly limit: number;
  /** What becomes of events that are gone: whoever folds them cannot do without. */
  readonly lost: 'passed over' | 'a fault';
}

/**
 * At most `limit` entries of a job, or of a run, from sequence `from` on. Their events are as they were stored: one that a
 * newer manager has written can still be looked at.
 */
const readEntries = async (
  { ports }: Stores,
  entity: Entity,
  { from, limit, lost }: Reading,
): Promise<Result<readonly JournalEntry[]>> => {
  const page = await ports.journal.read(entity, from, limit);
  if (!page.ok) return page;
  const entries: JournalEntry[] = [];
  for (const recorded of page.value) {
    const entry = readEntry(recorded);
    const events = await eventsOf(ports, entity, entry);
    if (!events.ok && !(lost === 'passed over' && isGone(events.fault))) return events;
    const { at, causes, first } = entry;
    entries.push({ seq: recorded.seq, at, causes, first, events: events.ok ? events.value : [] });
  }
  return ok(entries);
};

/** Entries that are held at once by who looks at all of them; each may weigh a MiB and more. */
const pageSize = 16;

/** At most `limit` entries from sequence `from` on, and fewer where they are large; and whether there are more. */
export const entryPage = async (
  stores: Stores,
  entity: Entity,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<Result<{ readonly entries: readonly JournalEntry[]; readonly more: boolean }>> => {
  const entries: JournalEntry[] = [];
  const hasRoom = pageRoom(limit);
  for (let next = from; ; ) {
    const read = await readEntries(stores, entity, { from: next, limit: pageSize, lost: 'passed over' });
    if (!read.ok) return read;
    for (const entry of read.value) {
      if (!hasRoom(entry)) return ok({ entries, more: true });
      entries.push(entry);
    }
    const last = read.value.at(-1);
    if (last === undefined || read.value.length < pageSize) return ok({ entries, more: false });
    next = last.seq + 1;
  }
};

/** Where to stop telling events before there are no more. */
interface Bound {
  /** How many are told at most. */
  readonly count?: number;
  /** Whether nothing that is still to come matters: then no more is read. */
  readonly isEnough?: () => boolean;
  /** A fault where nothing is said. */
  readonly lost?: Reading['lost'];
}

/** Every event of a job, or of a run, so far, or as many as are wanted; says how many. */
export const eachEvent = async <S, E>(
  api: Stores,
  fold: Pick<Fold<S, E>, 'read'>,
  entity: Entity,
  tell: (event: E) => void,
  { count = Number.POSITIVE_INFINITY, isEnough = () => false, lost = 'a fault' }: Bound = {},
): Promise<Result<number>> => {
  let told = 0;
  for (let from = 0; !isEnough(); ) {
    const page = await readEntries(api, entity, { from, limit: pageSize, lost });
    if (!page.ok) return page;
    for (const { events } of page.value)
      for (const event of events) {
        if (told >= count) return ok(told);
        tell(fold.read(event));
        told += 1;
      }
    const last = page.value.at(-1);
    if (last === undefined || page.value.length < pageSize) return ok(told);
    from = last.seq + 1;
  }
  return ok(told);
};
