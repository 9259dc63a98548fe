import type { Digest, Draft, Envelope, Instant, JobId, TenantId, TraceId, Type } from '@foldmesh/envelope';

/** Something that should be in flight, and the event that asked for it. */
export interface Effect {
  readonly draft: Draft;
  /** Ordinal of the asking event: what became due by new events is what they asked. */
  readonly asked: number;
  readonly asked_at: Instant;
}

/** Events of an entity that nobody can read any more: the blob that held them is gone, while its store answers. */
export interface Lost {
  readonly tenant: TenantId;
  readonly job: JobId;
  readonly digest: Digest;
  /** Which entry named it, and what its store said. */
  readonly detail: string;
  /** Ordinal of the next event: what was said since the state that can be read is lost. */
  readonly position: number;
}

/**
 * A job or run as a pure fold (ADR 5). `decide` is what an envelope says, `follow` is what the state then owes by
 * itself; all of it is appended as one entry. Laws: `decide(fold(decide(s, e)), e) = []`, `follow(fold(follow(s))) = []`,
 * and `next` is what all events asked for less what was answered.
 */
export interface Decider<State, Event, T extends Type = Type> {
  /** Version of the fold: state carried by an entry of another version is folded anew. */
  readonly fold: number;
  /** Reads a stored event, lifting older versions; throws a `Defect` on what it cannot read. */
  readonly read: (stored: unknown) => Event;
  initial(): State;
  /** Owns `state`: may change it in place, the caller forgets the old one. */
  evolve(state: State, event: Event): State;
  /** `[]` when the state already holds what the envelope brings, which makes every repeat harmless. */
  decide(state: State, envelope: Envelope<T>, at: Instant): readonly Event[];
  /** Called until it gives nothing: what is due by state and clock alone. */
  follow(state: State, at: Instant): readonly Event[];
  /** All that should be in flight now and was asked by event `from` or later; the same until an event changes it. */
  next(state: State, from?: number): Iterable<Effect>;
  /**
   * What an entity owes whose state can be read up to a loss alone. Its first event is one that `isLoss`, and stands for all
   * that was lost. Left out where a loss is told to somebody else instead.
   */
  lost?(state: State, lost: Lost & { readonly trace_id: TraceId }, at: Instant): readonly Event[];
  isLoss?(event: Event): boolean;
  /** When time alone will make `follow` owe something. */
  wakeAt(state: State): Instant | undefined;
  /** Nothing more will happen in this round. */
  ended(state: State): boolean;
}
