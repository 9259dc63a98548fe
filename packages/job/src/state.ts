import type {
  Carried,
  Digest,
  Fault,
  Instant,
  JobId,
  Json,
  Key,
  OpenCall,
  Probed,
  TenantId,
  TraceId,
  Usage,
} from '@foldmesh/envelope';
import type { Receipt, Spec, StopReason } from './events.ts';
import type { PlanTask } from './plan/plan.ts';
import type { Decision } from './plan/split.ts';
import type { JobStatus, TaskStatus } from './transitions.ts';

/**
 * One task, or one child of a `for_each`. Flat: others are named by ordinal. Fields appear as the task moves, so that
 * 10,000 untouched ones stay small; `plan` is the ordinal of the plan task that says what to do.
 */
export interface TaskState {
  readonly plan: number;
  /** Which child, of a `for_each`. */
  readonly child?: number;
  status: TaskStatus;
  /** The attempt under way or next to be made, from 1. */
  attempt: number;
  /** Attempts that count against the limit. */
  failures: number;
  unmet: number;
  /** Position of its first assignment: its key, in every attempt (ADR 1). */
  step?: number;
  call?: number;
  /** The assignment it is out with. */
  held?: { readonly step: number; readonly call: number };
  output?: Carried;
  probed?: readonly Probed[];
  fault?: Fault;
  open?: OpenCall;
  because?: number;
  due?: Instant;
  worker?: string;
  started_at?: Instant;
  ended_at?: Instant;
  usage?: Usage;
  /** Of a `for_each` that has expanded. */
  group?: Group;
}

/** The children of a `for_each`: ordinals `base` to `base + count - 1`; `released` of them may run or have run. */
export interface Group {
  readonly base: number;
  readonly count: number;
  readonly items: number;
  released: number;
  ended: number;
  /** Children that did not complete; in order once all have ended. */
  readonly gaps: number[];
}

/** Who waits for a task; an optional one goes on without it. */
export interface Dependent {
  readonly task: number;
  readonly optional: boolean;
}

/** What one worker holds: tasks in order. `left` have no result yet. */
export interface Assignment {
  readonly step: number;
  readonly call: number;
  readonly at: Instant;
  readonly tasks: readonly number[];
  left: number;
}

/** A question of a run to a person; while one is open, the job's wall time stands still. */
export interface Ask {
  readonly request: string;
  readonly task: number;
  readonly key: Key;
  readonly question: string;
  readonly schema?: Json;
  readonly at: Instant;
  answer?: { readonly step: number; readonly at: Instant; readonly value: Json; readonly by: string };
}

export interface Stopping {
  readonly reason: StopReason;
  readonly detail?: string;
  readonly task?: number;
  readonly step: number;
  readonly at: Instant;
  readonly until: Instant;
  /** Running when it began to stop. */
  readonly asked: readonly number[];
}

/** Plain data throughout: it is carried in journal entries as JSON. `evolve` owns it and changes it in place. */
export interface JobState {
  /** Events folded: the ordinal of the next one. */
  position: number;
  status?: JobStatus;
  round: number;
  tenant?: TenantId;
  job?: JobId;
  trace_id?: TraceId;
  print?: Digest;
  spec?: Spec;
  pins?: Readonly<Record<string, Digest>>;
  slots?: Readonly<Record<string, number>>;
  accepted_at: Instant;
  deadline: Instant;
  plan: readonly PlanTask[];
  readonly ordinals: Record<string, number>;
  dependents: readonly (readonly Dependent[])[];
  tasks: TaskState[];
  /** Tasks not yet ended. */
  left: number;
  open: Assignment[];
  /** Work lists that `follow` takes from; `ready` from `ready_from` on. */
  ready: number[];
  ready_from: number;
  to_expand: number[];
  to_skip: { readonly task: number; readonly because: number }[];
  to_join: number[];
  /** By when they are due, soonest first. */
  retries: number[];
  /** A task that failed along the route `fail`, or whose outcome is unknown: the job has to stop. */
  broken?: number;
  decision?: Decision;
  decision_due: boolean;
  /** Side-by-side tasks that the plan was taken to stand for, and the share of it that has shown since how wide it is. */
  width: number;
  drift: number;
  /** Last durations by run name, milliseconds. */
  observed: Record<string, number[]>;
  tool_calls: number;
  model_calls: number;
  /** Questions of tasks that are out. */
  asks: Ask[];
  /** Since when somebody has been waited for. */
  asking_since?: Instant;
  stopping?: Stopping;
  /** What is not known of it any more, and why: work may be out that nothing here names. */
  lost?: string;
  fault?: Fault;
  end_reason?: string;
  receipt?: Receipt;
  ended_at?: Instant;
}

/** Nothing is out, and nothing is left to be sent, expanded, skipped, joined, tried again or decided. */
export const noWork = (): Pick<
  JobState,
  'open' | 'ready' | 'ready_from' | 'to_expand' | 'to_skip' | 'to_join' | 'retries' | 'decision_due'
> => ({
  open: [],
  ready: [],
  ready_from: 0,
  to_expand: [],
  to_skip: [],
  to_join: [],
  retries: [],
  decision_due: false,
});

export const initialJob = (): JobState => ({
  position: 0,
  round: 1,
  ordinals: {},
  accepted_at: 0,
  deadline: 0,
  plan: [],
  dependents: [],
  tasks: [],
  left: 0,
  ...noWork(),
  width: 0,
  drift: 0,
  observed: {},
  tool_calls: 0,
  model_calls: 0,
  asks: [],
});
