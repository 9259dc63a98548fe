import { json } from '@foldmesh/envelope';
import { Decision, JobStatus } from '@foldmesh/job';
import { z } from 'zod';
import { apiLimits } from './api-limits.ts';
import { openWord } from './open-word.ts';

export const Links = z.record(z.string(), z.string());

/** The job is stored and will be worked on. A repeat under the same key gets the same. */
export const Accepted = z.object({ id: z.string(), status: openWord(JobStatus), links: Links });
export type Accepted = z.infer<typeof Accepted>;

export const CancelRequest = z.strictObject({ reason: z.string().max(apiLimits.reasonLengthMax).optional() });

/** The job has begun to stop, or had ended before: `status` says which. Its record has the receipt once it has ended. */
export const CancelReceipt = z.object({ id: z.string(), status: openWord(JobStatus), links: Links });
export type CancelReceipt = z.infer<typeof CancelReceipt>;

/** A person's answer, of the shape that the question's schema says. */
export const InputAnswer = z.strictObject({ value: json });

export const InputReceipt = z.object({ request: z.string(), links: Links });
export type InputReceipt = z.infer<typeof InputReceipt>;

/** What would be done with a job; nothing is. */
export const PlanPreview = z.object({
  name: z.string(),
  tasks: z
    .array(
      z.object({
        id: z.string(),
        /** Its kind and name: `skill licence.audit`. */
        run: z.string(),
        pool: z.string(),
        depends_on: z.array(z.string()).readonly(),
        for_each: z.object({ batch: z.int().positive(), concurrency: z.int().positive() }).optional(),
        cost_ms: z.number().nonnegative(),
      }),
    )
    .readonly(),
  /** Null for an empty plan, which is done at once. */
  decision: Decision.nullable(),
  /** The assignments that would go out first, as task ids. */
  first: z.array(z.array(z.string()).readonly()).readonly(),
});
export type PlanPreview = z.infer<typeof PlanPreview>;
