import { z } from 'zod';
import { TaskId } from './ids.ts';

/**
 * A piece of what a model says in one turn of a run, told on `liveSubject` while it says it. It may be lost and is never
 * told again; what the model has said is what the journal says. `at` is how many UTF-16 units of the turn came before:
 * at 0 the turn begins, also anew, and what was told of it before counts no more.
 */
export const TokenDelta = z.object({
  kind: z.literal('token-delta'),
  task: TaskId,
  round: z.int().nonnegative(),
  /** Sequence of the entry of the run's journal that asks. */
  step: z.int().positive(),
  at: z.int().nonnegative(),
  text: z.string(),
});
export type TokenDelta = z.infer<typeof TokenDelta>;
