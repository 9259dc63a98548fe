import type {
  Digest,
  Fault,
  Instant,
  JobId,
  Json,
  Key,
  Outcome,
  Result,
  TenantId,
  Type,
} from '@foldmesh/envelope';

/** Records are kept by type and key: two types at one position are two pieces of work. */
export interface RecordId {
  readonly type: Type;
  readonly key: Key;
}

export interface ClaimRequest extends RecordId {
  /** Fingerprint of what is asked. */
  readonly print: Digest;
  /** Unique for one host's one delivery: a claim whose reply got lost is recognised by it. */
  readonly owner: string;
  readonly leaseMs: number;
  /** A line that tells people what is asked; returned when the key is met with another fingerprint. */
  readonly label: string;
}

/** What a claim gives to know. */
export type Claim =
  /** Ours. `strikes` tries ended without a word before this one; `tries` ended with a fault that says later. */
  | {
      readonly kind: 'won';
      readonly token: number;
      readonly strikes: number;
      readonly tries: number;
      readonly fresh: boolean;
    }
  /** Another holder's lease still runs. */
  | { readonly kind: 'held'; readonly leaseLeftMs: number }
  /** Done, failed for good, or unknown: the stored outcome answers every copy. */
  | { readonly kind: 'settled'; readonly outcome: Stored }
  /** The key was used for other content; `label` is that of the first. */
  | { readonly kind: 'reused'; readonly label: string }
  /** The job is marked as cancelled. */
  | { readonly kind: 'halted' }
  /** It has struck out: too many tries ended without a word. Nobody may run it. */
  | { readonly kind: 'struck'; readonly strikes: number };

/** What a finished record keeps: the outcome, and what the host wants to say again with it. */
export interface Stored {
  readonly outcome: Outcome;
  readonly extra?: Json;
}

/** A record as anybody may see it; `stored` once it is finished, `holder` while somebody has it claimed. */
export interface Peeked {
  readonly print: Digest;
  readonly label: string;
  readonly strikes: number;
  readonly tries: number;
  /** `until`: when the lease that was last renewed runs out, or has run out. */
  readonly holder?: { readonly owner: string; readonly until: Instant };
  /** Nobody has it, because whoever tried it last was told to come back then. */
  readonly later?: Later;
  readonly stored?: Stored;
}

/** A try that took nothing on, and when the next is due; for people, nothing is decided by it. */
export interface Later {
  readonly fault: Fault;
  readonly until: Instant;
}

/** What is given up with a claim: a hand-back, or a try that is counted, with what it was told where that names a time. */
export type Made = 'nothing' | 'try' | Later;

export interface Held extends RecordId {
  readonly token: number;
}

/** `lost`: the token is not the last one, nothing was changed. `halted`: still ours, but the job is cancelled. */
export type Grip = 'held' | 'lost' | 'halted';

/**
 * The dedup store: one atomic step per transition, lease time by the store's own clock. It may forget: its silence
 * proves nothing about an envelope that is not fresh. Any fault means that nothing may be carried out.
 */
export interface Inbox {
  claim(request: ClaimRequest): Promise<Result<Claim>>;
  renew(held: Held, leaseMs: number): Promise<Result<Grip>>;
  /** Immediately before an unsafe effect leaves: from here a lapse or an abort is `unknown`. */
  start(held: Held): Promise<Result<Grip>>;
  /** Keeps the outcome until `keepUntil` (ms UTC). */
  complete(held: Held, stored: Stored, keepUntil: number): Promise<Result<Grip>>;
  /** Gives the claim up. What one try was told is forgotten with the next claim. */
  release(held: Held, made: Made): Promise<Result<Grip>>;
  /** What is known of a record, without claiming it. */
  peek(id: RecordId): Promise<Result<Peeked | undefined>>;
  /** From now on every claim and renewal of this job's work says `halted`. */
  halt(tenant: TenantId, job: JobId, keepUntil: number): Promise<Result<void>>;
  /** Random id of this life of the store. */
  generation(): Promise<Result<string>>;
}
