import type { Binding, Fault, Instant, Json, OpenCall } from '@foldmesh/envelope';
import { bindAll } from './bind.ts';
import type { Receipt } from './events.ts';
import type { Decision } from './plan/split.ts';
import type { Group, JobState, TaskState } from './state.ts';
import { holderOf, planOf, taskAt, taskIdOf } from './tasks.ts';
import { type JobStatus, jobEnded, type TaskStatus, taskEnded } from './transitions.ts';

/** Why something does not go on, since when, until when where that is known, and on what. */
export interface Wait {
  readonly reason: 'call' | 'no_slot' | 'concurrency' | 'retry' | 'dependency' | 'answer';
  readonly since: Instant;
  readonly until?: Instant;
  readonly on?: string;
}

export interface TaskRecord {
  readonly id: string;
  readonly status: TaskStatus;
  readonly wait?: Wait;
  readonly attempt: number;
  readonly worker?: string;
  readonly started_at?: Instant;
  readonly ended_at?: Instant;
  readonly fault?: Fault;
  /** Of an unknown outcome: the call that nobody has an answer to. */
  readonly open?: OpenCall;
  readonly skipped_because?: string;
  readonly children?: number;
  readonly usage?: { readonly tool_calls: number; readonly model_calls: number };
}

/** A question that is open; `schema` is JSON Schema of its answer. */
export interface InputRequest {
  readonly request: string;
  readonly task: string;
  readonly question: string;
  readonly schema?: Json;
  readonly since: Instant;
}

/** A job as API and command show it. Times are milliseconds UTC. */
export interface JobRecord {
  readonly id: string;
  readonly name: string;
  readonly status: JobStatus;
  readonly goal?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly round: number;
  readonly plan: {
    readonly tasks: number;
    readonly decision: (Decision & { readonly actual_ms?: number }) | null;
  };
  readonly tasks: readonly TaskRecord[];
  /** Present when the job has completed; see `resultOf`. */
  readonly result?: Json;
  readonly usage: { readonly tool_calls: number; readonly model_calls: number };
  /** What people are asked for; answered by `POST /v1/jobs/{id}/inputs/{request}`. */
  readonly requests: readonly InputRequest[];
  readonly budget_left: { readonly wall_ms: number };
  readonly durability: string;
  readonly trace_id: string;
  readonly created_at: Instant;
  readonly ended_at?: Instant;
  readonly end_reason?: string;
  readonly fault?: Fault;
  readonly receipt?: Receipt;
  readonly links: Readonly<Record<string, string>>;
}

/** The record of a job but for its result, whose parts may lie in the blob store. */
export const recordOf = (state: JobState, at: Instant, durability: string): JobRecord => {
  const { status = 'queued', spec, decision, ended_at, end_reason, fault, receipt } = state;
  const id = state.job ?? '';
  return {
    id,
    name: spec?.name ?? '',
    status,
    ...(spec?.goal !== undefined && { goal: spec.goal }),
    labels: spec?.labels ?? {},
    round: state.round,
    plan: {
      tasks: state.plan.length,
      decision:
        decision === undefined
          ? null
          : { ...decision, ...(ended_at !== undefined && { actual_ms: ended_at - state.accepted_at }) },
    },
    tasks: state.tasks.map((task, ordinal) => taskRecord(state, task, ordinal)),
    usage: { tool_calls: state.tool_calls, model_calls: state.model_calls },
    requests: state.asks.flatMap(({ request, task, question, schema, at: since, answer }) =>
      answer === undefined
        ? [{ request, task: taskIdOf(state, task), question, ...(schema !== undefined && { schema }), since }]
        : [],
    ),
    budget_left: { wall_ms: Math.max(0, state.deadline - (ended_at ?? at)) },
    durability,
    trace_id: state.trace_id ?? '',
    created_at: state.accepted_at,
    ...(ended_at !== undefined && { ended_at }),
    ...(end_reason !== undefined && { end_reason }),
    ...(fault !== undefined && { fault }),
    ...(receipt !== undefined && { receipt }),
    links: { self: `/v1/jobs/${id}`, events: `/v1/jobs/${id}/events` },
  };
};

const taskRecord = (state: JobState, task: TaskState, ordinal: number): TaskRecord => {
  const { status, attempt, worker, started_at, ended_at, fault, open, because, group, usage } = task;
  const wait = waitOf(state, task, ordinal);
  // Worker and times are of the last attempt that ended: of one under way the mesh knows neither yet.
  const isPast = status !== 'ready' && status !== 'running';
  return {
    id: taskIdOf(state, ordinal),
    status,
    ...(wait !== undefined && { wait }),
    attempt,
    ...(isPast && worker !== undefined && { worker }),
    ...(isPast && started_at !== undefined && { started_at }),
    ...(isPast && ended_at !== undefined && { ended_at }),
    ...(fault !== undefined && { fault }),
    ...(open !== undefined && { open }),
    ...(because !== undefined && { skipped_because: taskIdOf(state, because) }),
    ...(group !== undefined && { children: group.count }),
    ...(usage !== undefined && {
      usage: { tool_calls: usage.tool_calls ?? 0, model_calls: usage.model_calls ?? 0 },
    }),
  };
};

const waitOf = (state: JobState, task: TaskState, ordinal: number): Wait | undefined => {
  if (state.status === undefined || jobEnded(state.status)) return undefined;
  const since = state.accepted_at;
  switch (task.status) {
    case 'running':
      if (task.group !== undefined) return waitForChild(state, task.group);
      return (
        waitForAnswer(state, ordinal) ?? { reason: 'call', since: holderOf(state, ordinal)?.at ?? since }
      );
    case 'waiting':
      return {
        reason: 'retry',
        since: task.ended_at ?? since,
        ...(task.due !== undefined && { until: task.due }),
      };
    case 'ready':
      // All that could be given out has been: the job's slots are taken, or the one worker of an unsplit job is busy.
      return { reason: 'no_slot', since };
    case 'pending': {
      if (task.child !== undefined) return { reason: 'concurrency', since, on: planOf(state, ordinal).id };
      const on = planOf(state, ordinal).deps.find((dep) => !taskEnded(taskAt(state, dep.task).status));
      return { reason: 'dependency', since, ...(on !== undefined && { on: taskIdOf(state, on.task) }) };
    }
    default:
      return undefined;
  }
};

/** A run that waits for a person says since when, and which request to answer. */
const waitForAnswer = (state: JobState, ordinal: number): Wait | undefined => {
  const ask = state.asks.find(({ task, answer }) => task === ordinal && answer === undefined);
  return ask === undefined ? undefined : { reason: 'answer', since: ask.at, on: ask.request };
};

const waitForChild = (state: JobState, { base, count }: Group): Wait => {
  const child = state.tasks.slice(base, base + count).findIndex(({ status }) => !taskEnded(status));
  return {
    reason: 'dependency',
    since: state.accepted_at,
    ...(child >= 0 && { on: taskIdOf(state, base + child) }),
  };
};

/** The template of a completed job's result and what its lookups stand for. */
export const resultOf = (
  state: JobState,
): { readonly template: Json; readonly bind: Readonly<Record<string, Binding>> } => {
  const template = state.spec?.result ?? null;
  return { template, bind: bindAll(state, template, new Set()) };
};
