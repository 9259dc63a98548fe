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
  /** Forgets all, as a store does that comes back without its file. */
  clear(): void;
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

  return {
    drop,
    find: (id) => {
      tidy();
      const record = records.get(recordName(id));
      if (record === undefined || !dice.hits('loseRecord')) return record;
      drop(record);
      return undefined;
    },
    keep: (record, until) => {
      if (record.expiry) expiries.remove(record.expiry);
      records.set(record.name, record);
      record.expiry = expiries.push(until, record);
    },
    halt: (job, until) => {
      tidy();
      const known = marks.get(job);
      if (known && known.at >= until) return;
      if (known) markExpiries.remove(known);
      marks.set(job, markExpiries.push(until, job));
    },
    isHalted: ({ key }) => {
      tidy();
      const { tenant, job } = positionOf(key);
      return marks.has(`${tenant}/${job}`);
    },
    clear: () => {
      for (const record of [...records.values()]) drop(record);
      for (const mark of marks.values()) markExpiries.remove(mark);
      marks.clear();
    },
  };
};

export const recordName = ({ type, key }: RecordId): string => `${type} ${key}`;
