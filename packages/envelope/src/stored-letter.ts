import { z } from 'zod';
import { Digest, WireId } from './ids.ts';
import type { Key } from './key.ts';

/** A dead letter as it is stored: JSON for whoever reads the stream by other means, the dead body in base64. */
export const StoredLetter = z.object({
  id: WireId,
  tenant: z.string(),
  job: z.string(),
  /** As the sender wrote it, which may be no key. */
  key: z
    .string()
    .transform((key) => key as Key) // as the sender wrote it: a dead letter keeps what there was
    .optional(),
  subject: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.base64(),
  reason: z.string(),
  strikes: z.int().nonnegative(),
  first_at: z.number(),
  last_at: z.number(),
});

/** In the place of a letter that is too large for a message, which is what made some of them unreadable. */
export const LetterElsewhere = z.object({ blob: Digest });
