import { Instant } from '@foldmesh/envelope';
import { JobStatus, Wait, WaitReason } from '@foldmesh/job';
import { z } from 'zod';
import { Links } from './commands.ts';
import { openWord } from './open-word.ts';

/** A job in a list. Lists come from the index, which follows the journal and may be a moment behind. */
export const JobSummary = z.object({
  id: z.string(),
  name: z.string(),
  status: openWord(JobStatus),
  wait: Wait.extend({ reason: openWord(WaitReason) }).optional(),
  labels: z.record(z.string(), z.string()),
  created_at: Instant,
  /** Of a job that completed all the same: how many of its tasks did not, those of each `for_each` counted one by one. */
  gaps: z.int().positive().optional(),
  links: Links,
});
export type JobSummary = z.infer<typeof JobSummary>;

/** One page, the newest job first; `next` is the cursor of the page after it. */
export const JobPage = z.object({ jobs: z.array(JobSummary).readonly(), next: z.string().optional() });
export type JobPage = z.infer<typeof JobPage>;
