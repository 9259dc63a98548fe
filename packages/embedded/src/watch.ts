import type { Digest, Json, Queue, RawHeaders } from '@foldmesh/envelope';
import type { DeadLetter, Fact, Recorded, RecordId } from '@foldmesh/ports';

/** A message of a work stream, and where it lies. */
export interface Queued extends Queue {
  readonly tenant: string;
  readonly job: string;
  readonly headers: RawHeaders;
}

/**
 * Hears of all that is stored at the moment it is, whatever its caller is told then: a judge sees each step without asking
 * for it, and without a fault in its own way. What it is given it may read and not change.
 */
export interface Watch {
  appended(entry: Recorded): void;
  queued(message: Queued): void;
  /** It has left its stream for good. */
  left(message: Queued): void;
  indexed(subject: string, value: Json): void;
  parked(letter: DeadLetter): void;
  /** A blob that was not there before. */
  kept(digest: Digest, bytes: Uint8Array): void;
  remembered(fact: Fact): void;
  /** Taken for a copy of a message that was stored a moment ago, by its id. */
  dropped(message: Queued, original: RawHeaders): void;
  /** A try has ended without a word. */
  strike(record: RecordId): void;
  /** A record that nobody may run any more. */
  struck(record: RecordId): void;
}

const nothing = (): undefined => undefined;

export const silent: Watch = {
  appended: nothing,
  queued: nothing,
  left: nothing,
  indexed: nothing,
  parked: nothing,
  kept: nothing,
  remembered: nothing,
  dropped: nothing,
  strike: nothing,
  struck: nothing,
};
