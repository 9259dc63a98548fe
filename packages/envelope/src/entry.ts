import { z } from 'zod';
import { Instant, WireId } from './ids.ts';
import { json } from './json.ts';
import { BlobRef } from './outcome.ts';
import { storedReader } from './stored-reader.ts';

/**
 * One journal message of a job or run: what one decision appended. What is above 64 KiB lies in a blob, and the entry
 * names its digest. `state` is carried now and then so that no load reads more than twice the state; else `state_at`
 * is the sequence of the last entry that carries one.
 */
export const Entry = z.strictObject({
  v: z.literal(1),
  /** Wire ids of the envelopes that led to these events. */
  causes: z.array(WireId).max(256),
  at: Instant,
  /** The inbox's generation mark when this was written: what an unsafe effect is later checked against. */
  mark: z.string().max(64).optional(),
  /** Ordinal of the first event, counted over the entity's whole journal. */
  first: z.int().nonnegative(),
  events: z.array(json).optional(),
  events_ref: BlobRef.optional(),
  /** How many events lie in that blob, so that who only wants the state need not read it. */
  events_count: z.int().nonnegative().optional(),
  /** What a load reads beside the state it begins with: bytes of the entry that carried it and of all since, this one included. */
  tail_bytes: z.int().nonnegative(),
  /** Version of the fold that made `state`. */
  fold: z.int().positive().optional(),
  state: json.optional(),
  state_ref: BlobRef.optional(),
  state_at: z.int().nonnegative().optional(),
});
export type Entry = z.infer<typeof Entry>;

/** An entry as it was written, of any version; what cannot be read is a defect of this build. */
export const readStoredEntry = storedReader('an entry', Entry);
