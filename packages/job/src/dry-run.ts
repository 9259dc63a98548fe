import {
  type Envelope,
  type Instant,
  JobId,
  type Json,
  jobTask,
  keyOf,
  TenantId,
  traceIdFrom,
  wireIdOf,
} from '@foldmesh/envelope';
import { jobDecider } from './decider.ts';
import { checkJob } from './on-job-submit.ts';
import type { Catalogue } from './plan/catalogue.ts';

import type { Decision } from './plan/split.ts';
import type { Problem } from './problem.ts';
import { taskIdOf } from './tasks.ts';

/** What would happen to a job, as far as it can be known before anything is dispatched. */
export interface DryRun {
  readonly name: string;
  readonly tasks: readonly {
    readonly id: string;
    readonly run: string;
    readonly pool: string;
    readonly depends_on: readonly string[];
    readonly for_each?: { readonly batch: number; readonly concurrency: number };
    readonly cost_ms: number;
  }[];
  /** Null for an empty plan, which is done at once. */
  readonly decision: Decision | null;
  /** The assignments that would go out first, as task ids. */
  readonly first: readonly (readonly string[])[];
}

/** The very decider, asked on a state that nobody keeps. */
export const dryRun = (
  spec: Json,
  catalogue: Catalogue,
  at: Instant,
): { readonly plan: DryRun } | { readonly problems: readonly Problem[] } => {
  const checked = checkJob({ spec }, catalogue);
  if ('problems' in checked) return checked;
  const decider = jobDecider(catalogue);
  let state = decider.initial();
  for (
    let events = decider.decide(state, submitOf(spec, at), at);
    events.length > 0 && state.open.length === 0;
    events = decider.follow(state, at)
  )
    for (const event of events) state = decider.evolve(state, event);
  const { tasks } = checked;
  return {
    plan: {
      name: checked.spec.name,
      tasks: tasks.map((task) => ({
        id: task.id,
        run: `${task.run.kind} ${task.run.name}`,
        pool: task.pool,
        depends_on: task.deps.map((dep) => tasks[dep.task]?.id ?? ''),
        ...(task.for_each !== undefined && {
          for_each: { batch: task.for_each.batch ?? 1, concurrency: task.for_each.concurrency },
        }),
        cost_ms: task.cost_ms,
      })),
      decision: state.decision ?? null,
      first: state.open.map((open) => open.tasks.map((ordinal) => taskIdOf(state, ordinal))),
    },
  };
};

const submitOf = (spec: Json, at: Instant): Envelope<'job.submit'> => {
  const job = JobId.parse('dry-run');
  const key = keyOf({
    tenant: TenantId.parse('local'),
    job,
    task: jobTask,
    round: 1,
    step: '0',
    call: 'dry-run',
  });
  return {
    id: wireIdOf('job.submit', key, 1, 0),
    type: 'job.submit',
    v: 1,
    sender: 'manager',
    receiver: 'manager',
    payload: { spec },
    trace_id: traceIdFrom(key),
    idempotency_key: key,
    created_at: at,
    attempt: 1,
    epoch: 0,
  };
};
