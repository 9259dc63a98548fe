/** What a broker's or a store's configuration would say. */
export interface EmbeddedSettings {
  /** How long a delivery is held before it goes to somebody else. */
  readonly ackWaitMs: number;
  /** How long a stream knows the ids of what it stored. */
  readonly duplicateWindowMs: number;
  /** What one message or journal entry may weigh, its headers included. */
  readonly messageBytesMax: number;
  /** What may lie at the door; above it a submit is `throttled`. */
  readonly doorMessagesMax: number;
  /** How the journal answers the retry of an append that was stored: newer servers `conflict`, older ones `stored`. */
  readonly ownRetry: 'conflict' | 'stored';
  /** At this many tries without a word a claim answers `struck`. */
  readonly strikesMax: number;
  /** How long an inbox record lives that nobody touches and nobody has completed. */
  readonly unfinishedKeepMs: number;
  /** How far a replica of the inbox lags behind; 0 where there is none, and then nobody takes over. */
  readonly replicaLagMs: number;
  /** The longest that the fault `delay` holds a message back. */
  readonly delayMsMax: number;
  /** The longest that the fault `slow` holds up an effect, and its answer. */
  readonly slowMsMax: number;
  /** The longest that the faults `lateAck` and `lateWorking` hold a word back. */
  readonly lateMsMax: number;
  /** How old what the fault `staleIndex` shows may be. */
  readonly staleMsMax: number;
}

export const defaultSettings: EmbeddedSettings = {
  ackWaitMs: 6_000,
  duplicateWindowMs: 20_000,
  messageBytesMax: 1024 * 1024,
  doorMessagesMax: 100_000,
  ownRetry: 'conflict',
  strikesMax: 4,
  unfinishedKeepMs: 24 * 60 * 60 * 1000,
  replicaLagMs: 0,
  delayMsMax: 2_000,
  slowMsMax: 200,
  lateMsMax: 15_000,
  staleMsMax: 2_000,
};
