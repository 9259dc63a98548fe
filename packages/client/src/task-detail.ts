import { Fault, Instant, OpenCall, Usage } from '@foldmesh/envelope';
import { TaskRecord } from '@foldmesh/job';
import { z } from 'zod';
import { Links } from './commands.ts';

/** One try of a task. Of one under way the mesh knows only when it was given out. */
export const TaskAttempt = z.object({
  attempt: z.int().positive(),
  status: z.enum(['running', 'completed', 'failed', 'unknown', 'stopped']),
  assigned_at: Instant.optional(),
  worker: z.string().optional(),
  started_at: Instant.optional(),
  ended_at: Instant.optional(),
  fault: Fault.optional(),
  open: OpenCall.optional(),
  usage: Usage.optional(),
  /** When the next attempt is due, where this one is followed by another. */
  retry_at: Instant.optional(),
});
export type TaskAttempt = z.infer<typeof TaskAttempt>;

/** A task with every attempt of it, as the job's journal has them. */
export const TaskDetail = TaskRecord.extend({
  job: z.string(),
  round: z.int().positive(),
  run: z.object({ kind: z.string(), name: z.string() }),
  pool: z.string(),
  depends_on: z.array(z.string()).readonly(),
  attempts: z.array(TaskAttempt).readonly(),
  links: Links,
});
export type TaskDetail = z.infer<typeof TaskDetail>;
