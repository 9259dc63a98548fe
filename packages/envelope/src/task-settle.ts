import { z } from 'zod';
import { Instant } from './ids.ts';
import { Key } from './key.ts';
import { limits } from './limits.ts';
import { Outcome, Usage } from './outcome.ts';

/** What a probe found: how long the list there is (`null` for anything else), or why there is nothing. */
export const Probed = z.union([
  z.strictObject({ length: z.int().nonnegative().nullable() }),
  z.strictObject({ missing: z.string() }),
]);
export type Probed = z.infer<typeof Probed>;

export const TaskResult = z.strictObject({
  key: Key,
  attempt: z.int().positive(),
  outcome: Outcome,
  worker: z.string().max(limits.nameLengthMax),
  started_at: Instant,
  ended_at: Instant,
  usage: Usage.optional(),
  /** In the order of the part's probes; only with an outcome `done`. */
  probed: z.array(Probed).optional(),
});
export type TaskResult = z.infer<typeof TaskResult>;

/** Results up to the first task that was not completed; what the assignment held behind it has not begun. */
export const TaskSettle = z.strictObject({
  results: z.array(TaskResult).min(1).max(limits.assignmentTasksMax),
});
export type TaskSettle = z.infer<typeof TaskSettle>;
