import { BlobRef, Fault, Instant, json, OpenCall } from '@foldmesh/envelope';
import { z } from 'zod';
import { Receipt } from './events.ts';
import { Decision } from './plan/split.ts';
import { JobStatus, TaskStatus } from './transitions.ts';

/** What can keep something from going on. */
export const WaitReason = z.enum([
  'call',
  'no_worker',
  'no_slot',
  'concurrency',
  'tenant_share',
  'provider_quota',
  'budget',
  'breaker',
  'retry',
  'dependency',
  'approval',
  'answer',
  'event',
  'timer',
  'paused',
  'build',
  'storage',
]);
export type WaitReason = z.infer<typeof WaitReason>;

/** Why something does not go on, since when, until when where that is known, and on what. */
export const Wait = z.object({
  reason: WaitReason,
  since: Instant,
  until: Instant.optional(),
  on: z.string().optional(),
});
export type Wait = z.infer<typeof Wait>;

/** What was done in a task's or a job's name so far. */
const Counted = z.object({ tool_calls: z.int().nonnegative(), model_calls: z.int().nonnegative() });

/** A small output as it is; of a larger one where it lies, and the path that it is to be had from. */
export const TaskOutput = z.union([
  z.object({ value: json }),
  z.object({ ref: BlobRef.extend({ href: z.string() }) }),
]);
export type TaskOutput = z.infer<typeof TaskOutput>;

export const TaskRecord = z.object({
  id: z.string(),
  status: TaskStatus,
  wait: Wait.optional(),
  attempt: z.int().positive(),
  /** Worker and times are of the last attempt that ended: of one under way the mesh knows neither yet. */
  worker: z.string().optional(),
  started_at: Instant.optional(),
  ended_at: Instant.optional(),
  /** Of a `for_each` each child has its own. */
  result: TaskOutput.optional(),
  fault: Fault.optional(),
  /** Of an unknown outcome: the call that nobody has an answer to. */
  open: OpenCall.optional(),
  skipped_because: z.string().optional(),
  children: z.int().nonnegative().optional(),
  usage: Counted.optional(),
});
export type TaskRecord = z.infer<typeof TaskRecord>;

/** A question that is open; `schema` is JSON Schema of its answer. */
export const InputRequest = z.object({
  request: z.string(),
  task: z.string(),
  question: z.string(),
  schema: json.optional(),
  since: Instant,
});
export type InputRequest = z.infer<typeof InputRequest>;

/** A job as API and command show it. Times are milliseconds UTC. */
export const JobRecord = z.object({
  id: z.string(),
  name: z.string(),
  status: JobStatus,
  /** What the job as a whole waits for, as long as it has not ended. */
  wait: Wait.optional(),
  goal: z.string().optional(),
  labels: z.record(z.string(), z.string()),
  round: z.int().positive(),
  plan: z.object({
    /** Tasks of the plan, without the children of a `for_each`. */
    tasks: z.int().nonnegative(),
    decision: Decision.extend({ actual_ms: z.int().nonnegative().optional() }).nullable(),
  }),
  /** Tasks of the plan, then children as they came; of a large job one page, and `links.tasks_next` leads to the next. */
  tasks: z.array(TaskRecord).readonly(),
  /** Present when the job has completed; in its place `fault`, where what it was made of is gone since. */
  result: json.optional(),
  usage: Counted,
  /** What people are asked for; answered by `POST /v1/jobs/{id}/inputs/{request}`. */
  requests: z.array(InputRequest).readonly(),
  budget_left: z.object({ wall_ms: z.int().nonnegative() }),
  durability: z.string(),
  trace_id: z.string(),
  created_at: Instant,
  ended_at: Instant.optional(),
  end_reason: z.string().optional(),
  fault: Fault.optional(),
  receipt: Receipt.optional(),
  links: z.record(z.string(), z.string()),
});
export type JobRecord = z.infer<typeof JobRecord>;
