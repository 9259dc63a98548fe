import { positionOf } from '@foldmesh/envelope';
import type { RecordId } from '@foldmesh/ports';
import { type Due, dueHeap } from './due-heap.ts';
import type { InboxRecord } from './inbox-record.ts';
import type { Stand } from './stand.ts';

/** The inbox's records and marks, each with the instant (ms UTC) until which it is kept. */
export interface InboxShelf {
  find(id: RecordId): InboxRecord | undefined;
  /** Keeps a record until `until`, whatever was said before. */
  keep(record: InboxRecord, until: number): void;
  drop(record: InboxRecord): void;
  /** Marks a job; a mark only ever lasts longer. */
  halt(job: string, until: number): void;
  isHalted(id: RecordId): boolean;
  isMarked(job: string): boolean;
  /** Forgets all, as a store does that comes back without its file. */
  clear(): void;
  /** All that is on it, as it stands now. */
  copy(): ShelfCopy;
  /** Becomes what it was when the copy was made. */
  restore(copy: ShelfCopy): void;
  /** Records whose lease still runs. */
  leases(): number;
}

export interface ShelfCopy {
  readonly records: readonly { readonly record: InboxRecord; readonly until: number }[];
  readonly marks: readonly { readonly job: string; readonly until: number }[];
}

/** What has run out is dropped when the next one is asked for, in the order of running out: nothing is ever scanned. */
export const inboxShelf = ({ clock, dice }: Stand): InboxShelf => {
  const records = new Map<string, InboxRecord>();
  const expiries = dueHeap<InboxRecord>();
  const marks = new Map<string, Due<string>>();
  const markExpiries = dueHeap<string>();

  const drop = (record: InboxRecord): void => {
    records.delete(record.name);
    if (record.expiry) expiries.remove(record.expiry);
    record.expiry = undefined;
  };

  const tidy = (): void => {
    const now = clock.now();
    for (let old = expiries.popDue(now); old; old = expiries.popDue(now)) records.delete(old.name);
    for (let old = markExpiries.popDue(now); old !== undefined; old = markExpiries.popDue(now))
      marks.delete(old);
  };

  const keep = (record: InboxRecord, until: number): void => {
    if (record.expiry) expiries.remove(record.expiry);
    records.set(record.name, record);
    record.expiry = expiries.push(until, record);
  };

  const halt = (job: string, until: number): void => {
    const known = marks.get(job);
    if (known && known.at >= until) return;
    if (known) markExpiries.remove(known);
    marks.set(job, markExpiries.push(until, job));
  };

  const isMarked = (job: string): boolean => {
    tidy();
    return marks.has(job);
  };

  const clear = (): void => {
    for (const record of [...records.values()]) drop(record);
    for (const mark of marks.values()) markExpiries.remove(mark);
    marks.clear();
  };

  return {
    drop,
    find: (id) => {
      tidy();
      const record = records.get(recordName(id));
      if (record === undefined || !dice.hits('loseRecord')) return record;
      drop(record);
      return undefined;
    },
    keep,
    halt: (job, until) => {
      tidy();
      halt(job, until);
    },
    isHalted({ key }) {
      const { tenant, job } = positionOf(key);
      return isMarked(`${tenant}/${job}`);
    },
    isMarked,
    clear,
    copy: () => ({
      records: [...records.values()].map((record) => ({
        record: { ...record, expiry: undefined },
        until: record.expiry?.at ?? clock.now(),
      })),
      marks: [...marks].map(([job, { at }]) => ({ job, until: at })),
    }),
    restore(copy) {
      clear();
      for (const { record, until } of copy.records) keep({ ...record }, until);
      for (const { job, until } of copy.marks) halt(job, until);
    },
    leases: () =>
      [...records.values()].filter(
        ({ standing }) => 'leaseUntil' in standing && standing.leaseUntil > clock.monotonic(),
      ).length,
  };
};

export const recordName = ({ type, key }: RecordId): string => `${type} ${key}`;
