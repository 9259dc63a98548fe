import type { Digest } from '@foldmesh/envelope';
import type { Later, Stored } from '@foldmesh/ports';
import type { Due } from './due-heap.ts';

/** What the store keeps of one piece of work. */
export interface InboxRecord {
  readonly name: string;
  readonly print: Digest;
  /** Of the first who claimed it. */
  readonly label: string;
  /** Tries that ended without a word. */
  strikes: number;
  /** Tries that ended with a fault that says later. */
  tries: number;
  standing: Standing;
  expiry: Due<InboxRecord> | undefined;
}

export type Standing =
  | Hold
  | { readonly status: 'released'; readonly later?: Later }
  | { readonly status: 'struck' }
  /** `token` is that of who completed it; nobody did where the outcome is unknown because its lease lapsed. */
  | { readonly status: 'settled'; readonly token: number | undefined; readonly stored: Stored };

export interface Hold {
  readonly status: 'claimed' | 'started';
  readonly token: number;
  readonly owner: string;
  /** What the claim was told, so that one whose reply got lost is told the same. */
  readonly fresh: boolean;
  /** Monotonic milliseconds of the store. */
  readonly leaseUntil: number;
}

/** The hold that `token` has on a record; `undefined` where it is not the last one, and may change nothing. */
export const holdOf = (record: InboxRecord, token: number): Hold | undefined => {
  const { standing } = record;
  if (standing.status !== 'claimed' && standing.status !== 'started') return undefined;
  return standing.token === token ? standing : undefined;
};

/** Whether the holder of `token` has completed it: then what it says again changes nothing and is still its own. */
export const isSettledBy = ({ standing }: InboxRecord, token: number): boolean =>
  standing.status === 'settled' && standing.token === token;
