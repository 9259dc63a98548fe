import type {
  BlobRef,
  Digest,
  JobId,
  Json,
  Key,
  RawHeaders,
  Result,
  TenantId,
  WireId,
} from '@foldmesh/envelope';

/** Content by digest, a job's own: it goes when the job goes. */
export interface Blobs {
  /** Storing the same bytes again changes nothing. */
  put(tenant: TenantId, job: JobId, bytes: Uint8Array): Promise<Result<BlobRef>>;
  /** `invalid`, with a detail that names the digest, when there is no such blob, or when its bytes do not have that digest. */
  get(tenant: TenantId, job: JobId, digest: Digest): Promise<Result<Uint8Array>>;
}

/** Last value per subject. Derived from the journal and can be rebuilt: no decision rests on it. */
export interface Index {
  put(subject: string, value: Json): Promise<Result<void>>;
  /** All subjects that begin with `prefix`. */
  list(prefix: string): Promise<Result<readonly { readonly subject: string; readonly value: Json }[]>>;
}

/** A message nobody could deal with, whole, and why. */
export interface DeadLetter {
  /** Its wire id, or a digest of its bytes where there is none. */
  readonly id: WireId;
  readonly tenant: string;
  readonly job: string;
  readonly key: Key | undefined;
  readonly subject: string;
  readonly headers: RawHeaders;
  readonly body: Uint8Array;
  readonly reason: string;
  readonly strikes: number;
  readonly first_at: number;
  readonly last_at: number;
}

export interface DeadLetters {
  /** Keeps the first of one id; a later one changes nothing. */
  put(letter: DeadLetter): Promise<Result<void>>;
  list(tenant?: string, job?: string): Promise<Result<readonly DeadLetter[]>>;
}
