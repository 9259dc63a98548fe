import type { Binding, Carried, Instant, Json } from '@foldmesh/envelope';
import { bindAll } from './bind.ts';
import type { JobRecord, TaskOutput, TaskRecord } from './job-record.ts';
import type { JobState } from './state.ts';
import { taskAt, taskIdOf } from './tasks.ts';
import { jobWait, statusOf, waitOf } from './wait.ts';

/** A part of a job's tasks: `limit` of them from ordinal `from` on. */
export interface TaskRange {
  readonly from: number;
  readonly limit: number;
}

/** The record of a job but for its result, whose parts may lie in the blob store; of its tasks the given range. */
export const recordOf = (
  state: JobState,
  at: Instant,
  durability: string,
  { from, limit }: TaskRange = { from: 0, limit: Infinity },
): JobRecord => {
  const { spec, decision, ended_at, end_reason, fault, receipt } = state;
  const id = state.job ?? '';
  const self = `/v1/jobs/${id}`;
  const wait = jobWait(state);
  const tasks = state.tasks.slice(from, from + limit).map((_, offset) => taskRecord(state, from + offset));
  const last = from + limit < state.tasks.length ? tasks.at(-1) : undefined;
  return {
    id,
    name: spec?.name ?? '',
    status: statusOf(state),
    ...(wait !== undefined && { wait }),
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
    tasks,
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
    links: {
      self,
      events: `${self}/events`,
      ...(last !== undefined && { tasks_next: `${self}?tasks_after=${last.id}&tasks_limit=${limit}` }),
    },
  };
};

export const taskRecord = (state: JobState, ordinal: number): TaskRecord => {
  const { status, attempt, worker, started_at, ended_at, output, fault, open, because, group, usage } =
    taskAt(state, ordinal);
  const wait = waitOf(state, ordinal);
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
    ...(output !== undefined && { result: taskOutput(state, output) }),
    ...(fault !== undefined && { fault }),
    ...(open !== undefined && { open }),
    ...(because !== undefined && { skipped_because: taskIdOf(state, because) }),
    ...(group !== undefined && { children: group.count }),
    ...(usage !== undefined && {
      usage: { tool_calls: usage.tool_calls ?? 0, model_calls: usage.model_calls ?? 0 },
    }),
  };
};

/** What a task's output is, or where: `state` and record hold only what is small. */
const taskOutput = ({ job }: JobState, output: Carried): TaskOutput =>
  'value' in output
    ? output
    : { ref: { ...output.ref, href: `/v1/jobs/${job}/artifacts/${output.ref.digest}` } };

/** The template of a completed job's result and what its lookups stand for. */
export const resultOf = (
  state: JobState,
): { readonly template: Json; readonly bind: Readonly<Record<string, Binding>> } => {
  const template = state.spec?.result ?? null;
  return { template, bind: bindAll(state, template, new Set()) };
};
