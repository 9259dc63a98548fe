import type { Instant, JobId, Json, Key, Result, TenantId } from '@foldmesh/envelope';

/** Something worth remembering. Its id is the key of the write: a write delivered three times is one fact. */
export interface Fact {
  readonly id: Key;
  readonly tenant: TenantId;
  readonly job: JobId;
  readonly text: string;
  readonly tags: readonly string[];
  readonly data?: Json;
  readonly at: Instant;
}

export interface FactQuery {
  readonly tenant: TenantId;
  /** Facts of this job alone; of all the tenant's jobs without it. */
  readonly job?: JobId;
  /** Words to look for; the more of them a fact has, the earlier it comes. */
  readonly text?: string;
  /** All of them. */
  readonly tags?: readonly string[];
  readonly limit: number;
}

/** What the mesh remembers. The tenant is never the caller's word: it is that of the envelope's key. */
export interface Memory {
  /** `duplicate`: it was there already, and stays as it was. */
  write(fact: Fact): Promise<Result<{ readonly duplicate: boolean }>>;
  /** Best first; of equals the newest. */
  query(query: FactQuery): Promise<Result<readonly Fact[]>>;
}
