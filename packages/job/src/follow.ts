import { cut, fault, type Instant } from '@foldmesh/envelope';
import { assignable } from './assign.ts';
import { gapsOf, sourceLength } from './bind.ts';
import type { EventOf, JobEvent, StopReason } from './events.ts';
import { jobLimits } from './job-limits.ts';
import { type Lookup, lookupsIn, readPath } from './lookups.ts';
import { ruleFor } from './on-task-settle.ts';
import { widthOf } from './plan/plan.ts';
import { decideSplit } from './plan/split.ts';
import type { JobState } from './state.ts';
import { costOf, ordinalOf, planOf, taskAt, taskIdOf } from './tasks.ts';
import { jobEnded, taskEnded } from './transitions.ts';

/** What the job owes by its state and the clock alone, one kind of thing at a time; called again until it owes nothing. */
export const followJob = (state: JobState, at: Instant): readonly JobEvent[] => {
  if (state.status === undefined || jobEnded(state.status)) return [];
  if (state.stopping !== undefined) return followStopping(state, at);
  // While somebody is waited for, the job's time stands still.
  if (state.asking_since === undefined && at >= state.deadline)
    return [stop(at, 'deadline', `the job's ${state.spec?.wall_ms} ms are over${lastFailure(state)}`)];
  if (state.broken !== undefined) return [breakOff(state, state.broken, at)];
  for (const owed of [
    dueRetries(state, at),
    skips(state),
    expansions(state),
    joins(state, at),
    decision(state),
  ])
    if (owed.length > 0) return owed;
  if (state.left === 0) return [complete(state, at)];
  const assignments = assignable(state);
  return assignments.length > 0 ? [{ kind: 'tasks-assigned', v: 1, assignments, at }] : [];
};

const stop = (at: Instant, reason: StopReason, detail: string, task?: number): JobEvent => ({
  kind: 'job-stopping',
  v: 1,
  reason,
  detail: cut(detail, 2000),
  until: at + jobLimits.stoppingMs,
  at,
  ...(task !== undefined && { task }),
});

const failureBytesMax = 2 * 1024;

/** Time ran out on what had failed and was tried again: without it nobody would know what to mend. */
const lastFailure = (state: JobState): string => {
  const failed = state.tasks.flatMap(({ status, fault: why, ended_at = 0 }, ordinal) =>
    why === undefined || taskEnded(status) ? [] : [{ ordinal, why, ended_at }],
  );
  const last = failed.toSorted((a, b) => a.ended_at - b.ended_at).at(-1);
  return last === undefined
    ? ''
    : cut(
        `; task ${taskIdOf(state, last.ordinal)} had failed: ${last.why.kind}: ${last.why.detail}`,
        failureBytesMax,
      );
};

const breakOff = (state: JobState, ordinal: number, at: Instant): JobEvent => {
  const { status, fault: why, open } = taskAt(state, ordinal);
  const id = taskIdOf(state, ordinal);
  if (status === 'unknown')
    return stop(
      at,
      'task_unknown',
      `task ${id}: the outcome of ${open?.call} is unknown: ${open?.detail}`,
      ordinal,
    );
  return stop(at, 'task_failed', `task ${id} failed: ${why?.detail}`, ordinal);
};

const dueRetries = (state: JobState, at: Instant): readonly JobEvent[] => {
  const later = state.retries.findIndex((ordinal) => (taskAt(state, ordinal).due ?? 0) > at);
  const tasks = later < 0 ? state.retries.slice() : state.retries.slice(0, later);
  return tasks.length > 0 ? [{ kind: 'tasks-retried', v: 1, tasks }] : [];
};

/** A task waits for one that failed: skipped, with the reason, once it is not out. */
const skips = (state: JobState): readonly JobEvent[] => {
  const tasks = new Map(
    state.to_skip
      .filter(({ task }) => taskAt(state, task).status === 'pending')
      .map(({ task, because }) => [task, because]),
  );
  return tasks.size > 0
    ? [{ kind: 'tasks-skipped', v: 1, tasks: [...tasks].map(([task, because]) => ({ task, because })) }]
    : [];
};

/** All expansions that can be said now: once and for all, as one event each. */
const expansions = (state: JobState): readonly JobEvent[] => {
  let total = state.tasks.length;
  return state.to_expand.map((task): JobEvent => {
    const plan = planOf(state, task);
    const source = sourceLength(state, task);
    const refuse = (detail: string): JobEvent => {
      const why = fault('invalid', detail);
      return { kind: 'task-refused', v: 1, task, fault: why, route: ruleFor(plan.on_failure, why) };
    };
    if ('missing' in source) return refuse(`for_each: ${source.missing}`);
    const children = Math.ceil(source.length / (plan.for_each?.batch ?? 1));
    if (total + children > jobLimits.tasksWithChildrenMax)
      return refuse(
        `for_each: ${children} children would make ${total + children} tasks, the limit is ${jobLimits.tasksWithChildrenMax}`,
      );
    total += children;
    return { kind: 'task-expanded', v: 1, task, items: source.length, children };
  });
};

const joins = (state: JobState, at: Instant): readonly JobEvent[] =>
  state.to_join.map((task) => ({ kind: 'task-joined', v: 1, task, at }));

/** Taken when the job begins, and again as each `for_each` shows how wide it is. */
const decision = (state: JobState): readonly JobEvent[] => {
  if (!state.decision_due) return [];
  const load = {
    graph: state.plan.map((task) => task.deps.map((dep) => dep.task)),
    costs: state.plan.map((task) => costOf(state, task)),
    weights: state.plan.map((task, ordinal) => {
      const children = state.tasks[ordinal]?.group?.count ?? widthOf(task);
      return Math.max(1, Math.min(widthOf(task), children));
    }),
  };
  const workers = Object.values(state.slots ?? {}).reduce((sum, slots) => sum + slots, 0);
  return [{ kind: 'plan-decided', v: 1, decision: decideSplit(load, workers, state.spec?.split ?? 'auto') }];
};

const complete = (state: JobState, at: Instant): JobEvent => {
  const missing = missingInResult(state);
  if (missing !== undefined) return stop(at, 'invalid', missing);
  return { kind: 'job-completed', v: 1, end_reason: state.plan.length === 0 ? 'empty' : 'goal', at };
};

const missingInResult = (state: JobState): string | undefined => {
  for (const lookup of lookupsIn(state.spec?.result ?? null).lookups) {
    const ordinal = 'task' in lookup ? ordinalOf(state, lookup.task) : undefined;
    const missing = ordinal === undefined ? undefined : missingAt(state, ordinal, lookup);
    if (missing !== undefined) return `result: \${${lookup.text}}: ${missing}`;
  }
  return undefined;
};

/** Gaps are known here; into an output its worker has looked. */
const missingAt = (state: JobState, ordinal: number, { of, path }: Lookup): string | undefined => {
  if (of === 'gaps') {
    const found = readPath(gapsOf(state, ordinal), path);
    return 'missing' in found ? found.missing : undefined;
  }
  const index = planOf(state, ordinal).probes.findIndex((probe) => probe.join('.') === path.join('.'));
  const probed = taskAt(state, ordinal).probed?.[index];
  return probed !== undefined && 'missing' in probed ? probed.missing : undefined;
};

/** Nothing new goes out; what is out gets its time for last words; then one terminal state, and a receipt. */
const followStopping = (state: JobState, at: Instant): readonly JobEvent[] => {
  const idle = state.tasks.flatMap((task, ordinal) =>
    taskEnded(task.status) || task.held !== undefined ? [] : [ordinal],
  );
  if (idle.length > 0) return [{ kind: 'tasks-cancelled', v: 1, tasks: idle }];
  const { stopping } = state;
  const isAwaited = state.open.length > 0 || state.lost !== undefined;
  if (stopping === undefined || (isAwaited && at < stopping.until)) return [];
  return [terminal(state, stopping.reason, at)];
};

/** What a job's end is called where no task's fault says it. */
const faultOf = {
  cancelled: 'refused',
  deadline: 'refused',
  task_failed: 'refused',
  task_unknown: 'unanswered',
  invalid: 'invalid',
} as const;

const terminal = (state: JobState, reason: StopReason, at: Instant): JobEvent => {
  const receipt = receiptOf(state);
  const why = state.stopping?.detail ?? reason;
  if (reason === 'cancelled') return { kind: 'job-cancelled', v: 1, end_reason: 'cancelled', receipt, at };
  const own = state.stopping?.task === undefined ? undefined : taskAt(state, state.stopping.task).fault;
  const failed = (end_reason: EventOf<'job-failed'>['end_reason']): JobEvent => ({
    kind: 'job-failed',
    v: 1,
    end_reason,
    fault: fault(own?.kind ?? faultOf[reason], why),
    receipt,
    at,
  });
  if (reason === 'deadline') return failed('deadline');
  if (reason === 'task_unknown') return failed('unknown');
  return failed(reason === 'invalid' ? 'invalid' : 'failed');
};

const receiptOf = (state: JobState): EventOf<'job-cancelled'>['receipt'] => {
  const asked = state.stopping?.asked ?? [];
  const silent = asked.filter((ordinal) => !taskEnded(taskAt(state, ordinal).status));
  // A worker has said that it stopped; what an assignment held and had not begun was never under way.
  const stopped = asked.filter((ordinal) => {
    const { status, worker } = taskAt(state, ordinal);
    return status === 'cancelled' && worker !== undefined;
  });
  return {
    completed: state.tasks.filter((task) => task.status === 'completed').length,
    stopped: stopped.map((ordinal) => taskIdOf(state, ordinal)),
    silent: silent.map((ordinal) => taskIdOf(state, ordinal)),
  };
};
