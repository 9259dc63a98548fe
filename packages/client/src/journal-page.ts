import { Instant, json, WireId } from '@foldmesh/envelope';
import { z } from 'zod';

/** What one decision appended: the envelopes that led to it, and the events it came to. */
export const JournalEntry = z.object({
  /** Over the whole journal of the mesh, so an entity's own have gaps. */
  seq: z.int().nonnegative(),
  at: Instant,
  causes: z.array(WireId).readonly(),
  /** Ordinal of the first event, counted over the entity's journal. */
  first: z.int().nonnegative(),
  events: z.array(json).readonly(),
});
export type JournalEntry = z.infer<typeof JournalEntry>;

/** One page of the journal of a job, or of a run. */
export const JournalPage = z.object({
  job: z.string(),
  task: z.string().optional(),
  round: z.int().positive().optional(),
  entries: z.array(JournalEntry).readonly(),
  next: z.int().nonnegative().optional(),
  /** The fold of the first `at` events, where that was asked for. */
  state: json.optional(),
  at: z.int().nonnegative().optional(),
});
export type JournalPage = z.infer<typeof JournalPage>;
