import { z } from 'zod';

/** One thing wrong with what was sent: where in the value, and where in the text if that is known. */
export const Wrong = z.object({
  /** Field names and list indices from the top. */
  path: z.array(z.union([z.string(), z.int().nonnegative()])).readonly(),
  message: z.string(),
  line: z.int().positive().optional(),
  column: z.int().positive().optional(),
});
export type Wrong = z.infer<typeof Wrong>;

/** The one shape of every error (RFC 9457, `application/problem+json`), and what a program needs to act on it. */
export const ProblemDetails = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  /** One word for programs: `invalid_job`, `not_found` … */
  code: z.string(),
  /** Whether the same request may succeed later; `Retry-After` says when. */
  retryable: z.boolean(),
  trace_id: z.string(),
  errors: z.array(Wrong).readonly(),
  /** The job that it is about, where it may come to be. */
  job: z.string().optional(),
});
export type ProblemDetails = z.infer<typeof ProblemDetails>;
