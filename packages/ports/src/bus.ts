import type { Instant, JobId, Queue, RawHeaders, Result, Sealed, TenantId } from '@foldmesh/envelope';

/**
 * The mesh's work queues and its core subjects. At least once: a message may come again, late, twice, or in another
 * order; an ack may get lost; the delay of a nak may be forgotten. Nothing here fences: a late ack deletes the message
 * under its new holder.
 */
export interface Bus {
  /**
   * Resolves when the message is stored. A wire id seen within the duplicate window, or a subject that still holds its
   * message, is `duplicate`: that counts as stored. `unanswered`: it may be stored, send the same again.
   */
  publish(message: Sealed): Promise<Result<{ readonly duplicate: boolean }>>;
  /** Binds to one queue. Every subscriber of a queue shares its messages. */
  subscribe(queue: Queue): Promise<Result<Subscription>>;
  /** How a queue stands at this moment. Nothing may be decided by it but whether to take on more. */
  standing(queue: Queue): Promise<Result<Standing>>;
  /** Drops what waits in lane `call` for a job, except at the manager; says how many. Holders are not interrupted. */
  purge(tenant: TenantId, job: JobId): Promise<Result<number>>;
  /** Of the streams that work needs room in the fullest. */
  filled(): Promise<Result<Filled>>;
  /** Core publish: no promise at all. */
  cast(subject: string, body: Uint8Array): void;
  /** Core subscribe; a `*` stands for one token of the subject, a last `>` for the rest. Ends when disposed. */
  listen(subject: string, hear: (body: Uint8Array, subject: string) => void): AsyncDisposable;
}

/** A queue as its broker has it. What nobody has acked yet is `waiting + in_hand`. */
export interface Standing {
  /** Messages that nobody was given yet. */
  readonly waiting: number;
  /** Given before and not acked: held by somebody, kept back, or about to come again. A broker knows no difference. */
  readonly in_hand: number;
  /** Requests for messages that wait here: none means that whoever reads it has no room, or that nobody does. */
  readonly pulls: number;
  /** Somebody has paused it: until then nobody is given anything. */
  readonly paused_until?: Instant;
  /** Why the stream that it lies in takes no more, in words that name the stream. */
  readonly closed?: string;
  /** What an operator finds it by at the broker: `MESH_WORK worker_default_call`. */
  readonly place: string;
}

/** A stream and how full it is. */
export interface Filled {
  /** 0 where nothing is limited, 1 where nothing fits any more, or whoever operates it lets nothing in. */
  readonly share: number;
  /** In words that name it: `MESH_JOURNAL`, `MESH_JOURNAL (sealed)`. */
  readonly of: string;
}

export interface Subscription extends AsyncDisposable {
  /** Waits for at least one message and takes up to `max`; empty when `signal` aborts or the subscription is disposed. */
  pull(max: number, signal: AbortSignal): Promise<readonly Delivery[]>;
}

/** One message held for the ack wait. */
export interface Delivery {
  readonly subject: string;
  readonly headers: RawHeaders;
  readonly body: Uint8Array;
  /** It has been delivered before. Not a count: the broker's includes hand-backs and forgets after a kill. */
  readonly redelivered: boolean;
  /** When it arrived in this process. */
  readonly received_at: Instant;
  ack(): Promise<Result<void>>;
  /** Renews the hold; answered by the broker. */
  working(): Promise<Result<void>>;
  /** Gives it back for `delayMs`, whole milliseconds; 0 is at once. */
  nak(delayMs: number): Promise<Result<void>>;
}
