import { limits } from '@foldmesh/envelope';

/** Times and bounds of the hosts. A world may shorten the times for tests, never lift a bound. */
export interface HostSettings {
  /** How long the broker waits for an ack before it delivers again, and how long a lease runs. Milliseconds. */
  readonly ackWaitMs: number;
  /** At most this many envelopes are decided in one append. */
  readonly groupMax: number;
  /** Deliveries a decider host holds at once, over all entities. */
  readonly heldMax: number;
  /** From this strike on a task runs alone in its process. */
  readonly aloneFromStrikes: number;
  /** How long a handler may take to end after it was aborted. */
  readonly abortGraceMs: number;
}

export const hostSettings: HostSettings = {
  ackWaitMs: 6_000,
  groupMax: 256,
  heldMax: 2_048,
  aloneFromStrikes: 2,
  abortGraceMs: 1_000,
};

export const runtimeLimits = {
  groupBytesMax: 256 * 1024,
  /** State that is always carried by its entry. */
  stateBytesSmall: 2 * 1024,
  /** Above this, state or events of an entry lie in a blob. */
  entryBytesInline: 64 * 1024,
  /** Entities whose folded state is kept between turns. */
  cachedEntitiesMax: 256,
  handBackMsMin: 2_000,
  handBackMsMax: 60_000,
  conflictsMax: 16,
  /** How long a port that is away is asked again before its fault is taken for an answer. */
  insistMs: 1_000,
  /** By how much the clock of whoever sent an envelope may be ahead of ours and still be believed. */
  skewMsMax: 5_000,
  followsMax: 100_000,
  /** Effects of one turn that are on their way to the bus at once. */
  publishesMax: 64,
  labelBytesMax: 200,
  /** For how long a value must have been referred to before its store is believed that it is gone. */
  goneAfterMs: 1.5 * limits.epochMs,
  /** When a value that may only be late is asked for again: long enough that a host hands the message back. */
  lateAgainMs: 3_000,
} as const;
