import { z } from 'zod';
import { json } from './json.ts';
import { limits } from './limits.ts';

const Tags = z.array(z.string().min(1).max(limits.nameLengthMax)).max(32);

/** A fact to remember. Whose it is follows from the envelope's key, never from what a model says. */
export const MemoryWrite = z.strictObject({
  text: z.string().min(1).max(8_000),
  tags: Tags.optional(),
  data: json.optional(),
});
export type MemoryWrite = z.infer<typeof MemoryWrite>;

/** Facts of the tenant, or of this job alone; best first. */
export const MemoryQuery = z.strictObject({
  text: z.string().max(1_000).optional(),
  tags: Tags.optional(),
  this_job: z.boolean().optional(),
  limit: z.int().min(1).max(100).optional(),
});
export type MemoryQuery = z.infer<typeof MemoryQuery>;
