import { Instant } from '@foldmesh/envelope';
import { JobStatus, WaitReason } from '@foldmesh/job';
import { z } from 'zod';
import { openWord } from './open-word.ts';

/** Why something waits, and of a job that has ended how it did, and what was set aside in its name. */
export const CauseReason = z.enum([...WaitReason.options, 'ended', 'dead_letter']);
export type CauseReason = z.infer<typeof CauseReason>;

/** One thing that keeps a job from going on; causes that are alike are one, with examples. */
export const Cause = z.object({
  reason: openWord(CauseReason),
  /** The first task that it concerns; none where it concerns the whole job. */
  task: z.string().optional(),
  since: Instant,
  until: Instant.optional(),
  /** A pool, a task, a request, a process or a store: what has to move first. */
  on: z.string(),
  /** A sentence for a person. */
  text: z.string(),
  /** The command or the setting that mends it, where anybody can. */
  next: z.string().optional(),
  /** From the task through what it depends on to what really waits. */
  chain: z.array(z.string()).readonly().optional(),
  /** How many tasks wait for the same, and the first of them. */
  count: z.int().positive().optional(),
  examples: z.array(z.string()).readonly().optional(),
});
export type Cause = z.infer<typeof Cause>;

/** Why a job does not go on, the causes that others wait for first; or why it ended. */
export const Why = z.object({
  job: z.string(),
  /** `unreadable`: neither its journal nor the index says it to this build. */
  status: openWord(z.union([JobStatus, z.literal('unreadable')])),
  /** Milliseconds UTC at which it was looked. */
  at: Instant,
  causes: z.array(Cause).readonly(),
  /** Causes beyond those. */
  left_out: z.int().nonnegative(),
});
export type Why = z.infer<typeof Why>;
