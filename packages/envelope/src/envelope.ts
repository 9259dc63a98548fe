import { z } from 'zod';
import { type Body, isType, type Lane, type Type } from './catalogue.ts';
import type { MeshHeaders } from './headers.ts';
import { Instant, type TraceId, WireId } from './ids.ts';
import { json } from './json.ts';
import { Key } from './key.ts';
import { BlobRef } from './outcome.ts';
import { type Address, Party, type Queue, ReplySubject } from './party.ts';

/** The body on the wire. Tenant, job, task and attempt stand in key and headers and are not repeated. */
export const EnvelopeBody = z.strictObject({
  id: WireId,
  type: z.string().refine(isType, 'no such type of envelope'),
  v: z.int().positive(),
  sender: Party,
  receiver: Party,
  payload: json.optional(),
  /** The claim check: the payload lies in the blob store. Exactly one of the two is there. */
  payload_ref: BlobRef.optional(),
  trace_id: z.string(),
  idempotency_key: Key,
  causation_id: WireId.optional(),
  reply_to: ReplySubject.optional(),
  created_at: Instant,
  deadline: Instant.optional(),
  not_before: Instant.optional(),
});

/** One envelope as code sees it; `switch (envelope.type)` narrows `payload`. Attempt and epoch come from the headers. */
export type Envelope<T extends Type = Type> = T extends Type
  ? {
      readonly id: WireId;
      readonly type: T;
      readonly v: number;
      readonly sender: Party;
      readonly receiver: Party;
      readonly payload: Body<T>;
      readonly trace_id: TraceId;
      readonly idempotency_key: Key;
      readonly causation_id?: WireId | undefined;
      readonly reply_to?: string | undefined;
      readonly created_at: Instant;
      readonly deadline?: Instant | undefined;
      readonly not_before?: Instant | undefined;
      readonly attempt: number;
      readonly epoch: number;
    }
  : never;

/** An effect: an envelope that nobody has stamped yet. */
export type Draft<T extends Type = Type> = T extends Type
  ? {
      readonly type: T;
      readonly to: Address;
      /** Where it differs from the type's own: an agent's assignment is read by a decider. */
      readonly lane?: Lane;
      readonly key: Key;
      readonly attempt: number;
      readonly payload: Body<T>;
      readonly deadline?: Instant | undefined;
      readonly reply_to?: string | undefined;
    }
  : never;

/** A message as a bus carries it. */
export interface Sealed {
  readonly subject: string;
  readonly queue: Queue;
  readonly headers: MeshHeaders;
  readonly body: Uint8Array;
}
