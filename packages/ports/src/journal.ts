import type { JobId, JobPosition, Result, TenantId, WireId } from '@foldmesh/envelope';

/** Whose journal: a job's, or that of one run of a task in a round. */
export type Entity = JobPosition;

export interface Append {
  readonly entity: Entity;
  readonly entry: Uint8Array;
  /** Sequence of the entity's last entry as the writer knows it; 0 for the first. */
  readonly expected: number;
  /** Stays the same when the same append is sent again. */
  readonly id: WireId;
}

/** `conflict` does not prove that somebody else was first: it may be the answer to one's own stored append. Reload, then judge. */
export type Appended = { readonly kind: 'stored'; readonly seq: number } | { readonly kind: 'conflict' };

/** One stored entry. Sequences grow over the whole journal, not entity by entity. */
export interface Recorded {
  readonly entity: Entity;
  readonly seq: number;
  readonly entry: Uint8Array;
}

/** The truth, and the one commit point. Reads are from the leader: nothing stale ever comes out of `last` and `read`. */
export interface Journal {
  append(append: Append): Promise<Result<Appended>>;
  last(entity: Entity): Promise<Result<Recorded | undefined>>;
  at(entity: Entity, seq: number): Promise<Result<Recorded | undefined>>;
  /** Entries of one entity with `seq >= from`, oldest first, at most `limit`. */
  read(entity: Entity, from: number, limit: number): Promise<Result<readonly Recorded[]>>;
  /** All entries of a job (its runs' too) with `seq >= from`, as they come, until `signal` aborts. */
  follow(
    of: { readonly tenant: TenantId; readonly job: JobId },
    from: number,
    signal: AbortSignal,
  ): AsyncIterable<Recorded>;
}
