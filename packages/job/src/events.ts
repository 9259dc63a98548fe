import {
  Carried,
  Digest,
  Fault,
  Instant,
  isJsonObject,
  JobId,
  json,
  Key,
  type Lifts,
  liftsBy,
  OpenCall,
  Probed,
  storedReader,
  TenantId,
  TraceId,
  Usage,
} from '@foldmesh/envelope';
import { z } from 'zod';
import { PlanTask } from './plan/plan.ts';
import { Decision } from './plan/split.ts';

const ordinal = z.int().nonnegative();
const attempt = z.int().positive();
const done = {
  task: ordinal,
  attempt,
  worker: z.string(),
  started_at: Instant,
  ended_at: Instant,
  usage: Usage.optional(),
};

/** Why a job came to `stopping`; what it ends as follows from it. */
export const StopReason = z.enum(['cancelled', 'deadline', 'task_failed', 'task_unknown', 'invalid']);
export type StopReason = z.infer<typeof StopReason>;

export const Spec = z.strictObject({
  name: z.string(),
  goal: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  inputs: json.refine(isJsonObject).optional(),
  split: z.enum(['auto', 'always', 'never']),
  wall_ms: z.int().positive(),
  result: json.optional(),
});
export type Spec = z.infer<typeof Spec>;

/** What a stopping job knows when it ends: who had said something, who stayed silent. Lists name tasks. */
export const Receipt = z.strictObject({
  completed: z.int().nonnegative(),
  stopped: z.array(z.string()),
  silent: z.array(z.string()),
});
export type Receipt = z.infer<typeof Receipt>;

const terminal = { receipt: Receipt.optional(), at: Instant };

/** All that can happen to a job. Tasks are named by ordinal: plan tasks first, then children as they came. */
export const JobEvent = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('job-accepted'),
    v: z.literal(1),
    tenant: TenantId,
    job: JobId,
    trace_id: TraceId,
    /** Fingerprint of the submit: the same key with another request is an error. */
    print: Digest,
    spec: Spec,
    tasks: z.array(PlanTask),
    /** Digest of each definition it was accepted with, by `<kind>:<name>`. */
    pins: z.record(z.string(), Digest),
    slots: z.record(z.string(), z.int()),
    at: Instant,
  }),
  z.strictObject({
    kind: z.literal('job-refused'),
    v: z.literal(1),
    tenant: TenantId,
    job: JobId,
    trace_id: TraceId,
    print: Digest,
    name: z.string(),
    fault: Fault,
    at: Instant,
  }),
  z.strictObject({ kind: z.literal('plan-decided'), v: z.literal(1), decision: Decision }),
  z.strictObject({
    kind: z.literal('task-expanded'),
    v: z.literal(1),
    task: ordinal,
    items: z.int().nonnegative(),
    children: z.int().nonnegative(),
  }),
  z.strictObject({
    kind: z.literal('tasks-assigned'),
    v: z.literal(1),
    assignments: z.array(z.array(ordinal).min(1)).min(1),
    at: Instant,
  }),
  z.strictObject({
    kind: z.literal('task-completed'),
    v: z.literal(1),
    ...done,
    output: Carried,
    probed: z.array(Probed).optional(),
  }),
  z.strictObject({
    kind: z.literal('task-failed'),
    v: z.literal(1),
    ...done,
    fault: Fault,
    route: z.enum(['retry', 'fail', 'skip']),
    /** Of a retry: when its next attempt is due, and whether this one counted. */
    due: Instant.optional(),
    free: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal('task-unknown'), v: z.literal(1), ...done, open: OpenCall }),
  z.strictObject({ kind: z.literal('task-stopped'), v: z.literal(1), ...done }),
  /** An assignment ended before all its tasks had begun: the rest is ready again. */
  z.strictObject({ kind: z.literal('assignment-ended'), v: z.literal(1), step: ordinal, call: ordinal }),
  z.strictObject({ kind: z.literal('tasks-retried'), v: z.literal(1), tasks: z.array(ordinal).min(1) }),
  /** A `for_each` or its source cannot be: no worker was asked. */
  z.strictObject({
    kind: z.literal('task-refused'),
    v: z.literal(1),
    task: ordinal,
    fault: Fault,
    route: z.enum(['fail', 'skip']),
  }),
  z.strictObject({
    kind: z.literal('tasks-skipped'),
    v: z.literal(1),
    tasks: z.array(z.strictObject({ task: ordinal, because: ordinal })).min(1),
  }),
  z.strictObject({ kind: z.literal('task-joined'), v: z.literal(1), task: ordinal, at: Instant }),
  z.strictObject({ kind: z.literal('tasks-cancelled'), v: z.literal(1), tasks: z.array(ordinal).min(1) }),
  /** A run waits for a person. `key` is the call's own: the answer goes there. */
  z.strictObject({
    kind: z.literal('input-asked'),
    v: z.literal(1),
    task: ordinal,
    key: Key,
    request: z.string(),
    question: z.string(),
    schema: json.optional(),
    at: Instant,
  }),
  z.strictObject({
    kind: z.literal('input-answered'),
    v: z.literal(1),
    request: z.string(),
    value: json,
    by: z.string(),
    at: Instant,
  }),
  z.strictObject({
    kind: z.literal('job-stopping'),
    v: z.literal(1),
    reason: StopReason,
    detail: z.string().optional(),
    task: ordinal.optional(),
    until: Instant,
    at: Instant,
  }),
  /**
   * What had been said since the state that can still be read is gone, with the blob that held it: the job stops (ADR 35).
   * It stands for all of it, so it names the job itself: there may be no earlier event left.
   */
  z.strictObject({
    kind: z.literal('history-lost'),
    v: z.literal(1),
    tenant: TenantId,
    job: JobId,
    trace_id: TraceId,
    digest: Digest,
    /** Its own ordinal; those from `from` on are lost. */
    position: ordinal,
    from: ordinal,
    detail: z.string(),
    until: Instant,
    at: Instant,
  }),
  z.strictObject({
    kind: z.literal('job-completed'),
    v: z.literal(1),
    end_reason: z.enum(['goal', 'empty']),
    ...terminal,
  }),
  z.strictObject({
    kind: z.literal('job-failed'),
    v: z.literal(1),
    end_reason: z.enum(['failed', 'deadline', 'unknown', 'invalid']),
    fault: Fault,
    ...terminal,
  }),
  z.strictObject({
    kind: z.literal('job-cancelled'),
    v: z.literal(1),
    end_reason: z.literal('cancelled'),
    ...terminal,
  }),
]);
export type JobEvent = z.infer<typeof JobEvent>;
export type EventOf<K extends JobEvent['kind']> = Extract<JobEvent, { kind: K }>;

/** How an event of an older version becomes one of the newest, by kind: `lifts[n]` brings version n + 1 to n + 2. */
const lifts: Partial<Record<JobEvent['kind'], Lifts>> = {};

/** A stored event, lifted; what cannot be read is a defect of this build, not of the job. */
export const readJobEvent = storedReader('a job event', JobEvent, liftsBy(lifts));
