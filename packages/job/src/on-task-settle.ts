import type { Envelope, Fault, Instant, TaskResult } from '@foldmesh/envelope';
import type { JobEvent } from './events.ts';
import { jobLimits } from './job-limits.ts';
import type { Assignment, JobState } from './state.ts';
import { holderOf, jobKeyOf, planOf, taskAt, taskKeyOf, taskWithKey } from './tasks.ts';
import { jobEnded } from './transitions.ts';

/**
 * Results count once: only for a task that is out, for the attempt that is out (M2). An answer that comes late, twice,
 * or for an attempt given up adds nothing; nor does one for a task whose turn had not come. Whatever assignment a
 * result came from is over, and what it had not begun is free again.
 */
export const onTaskSettle = (
  state: JobState,
  { payload }: Envelope<'task.settle'>,
  at: Instant,
): readonly JobEvent[] => {
  if (state.status === undefined || jobEnded(state.status)) return [];
  const events: JobEvent[] = [];
  const settled = new Set<number>();
  const completed = new Set<number>();
  const over = new Set<Assignment>();
  for (const result of payload.results)
    for (const ordinal of tasksMeant(state, result)) {
      const assignment = settled.has(ordinal) ? undefined : holderOf(state, ordinal);
      if (assignment === undefined || !hadItsTurn(state, ordinal, completed)) continue;
      events.push(settledEvent(state, ordinal, result, at));
      settled.add(ordinal);
      if (result.outcome.kind === 'done') completed.add(ordinal);
      over.add(assignment);
    }
  for (const { step, call, tasks } of over)
    if (!tasks.every((ordinal) => settled.has(ordinal)))
      events.push({ kind: 'assignment-ended', v: 1, step, call });
  return events;
};

/** The tasks a result speaks of. A host that could not read a bundle has only the bundle's own key to name. */
const tasksMeant = (state: JobState, { key, attempt, outcome }: TaskResult): readonly number[] => {
  const task = taskWithKey(state, key);
  if (task !== undefined) return taskAt(state, task).attempt === attempt ? [task] : [];
  if (outcome.kind === 'done') return [];
  return state.open.find(({ step, call }) => jobKeyOf(state, step, call) === key)?.tasks ?? [];
};

/** A fused task is begun when those it waits for have completed in its own assignment, before it. */
const hadItsTurn = (state: JobState, ordinal: number, completed: ReadonlySet<number>): boolean => {
  const { unmet } = taskAt(state, ordinal);
  if (unmet === 0) return true;
  return planOf(state, ordinal).deps.filter(({ task }) => completed.has(task)).length === unmet;
};

const settledEvent = (state: JobState, task: number, result: TaskResult, at: Instant): JobEvent => {
  const { worker, started_at, ended_at, usage, outcome } = result;
  const done = {
    v: 1,
    task,
    attempt: taskAt(state, task).attempt,
    worker,
    started_at,
    ended_at,
    // Said of a whole bundle it would count once for each of its tasks; who could not read it has used nothing.
    ...(usage !== undefined && result.key === taskKeyOf(state, task) && { usage }),
  } as const;
  switch (outcome.kind) {
    case 'done':
      return {
        kind: 'task-completed',
        ...done,
        output: outcome.output,
        ...(result.probed !== undefined && { probed: result.probed }),
      };
    case 'failed':
      return {
        kind: 'task-failed',
        ...done,
        fault: outcome.fault,
        ...routeOf(state, task, outcome.fault, at),
      };
    case 'unknown':
      return { kind: 'task-unknown', ...done, open: outcome.open };
    case 'paused':
      // Only a run can wait for a person; what else asks one has asked in vain.
      return {
        kind: 'task-failed',
        ...done,
        fault: { kind: 'refused', detail: 'only an agent can wait for a person' },
        route: ruleFor(planOf(state, task).on_failure, { kind: 'refused', detail: '' }),
      };
    case 'cancelled':
      // Stopped from outside while the job goes on: the worker gave it up, so it is free to be tried again.
      return state.stopping === undefined
        ? {
            kind: 'task-failed',
            ...done,
            fault: {
              kind: 'unavailable',
              detail: 'the worker stopped before it was done',
              retry_after_ms: 0,
            },
            route: 'retry',
            due: at,
            free: true,
          }
        : { kind: 'task-stopped', ...done };
  }
};

type Route =
  | { readonly route: 'retry'; readonly due: Instant; readonly free?: boolean }
  | { readonly route: 'fail' | 'skip' };

/** Attempts are the manager's, and only for faults that say later; then the task's own rules, of which the first that fits decides. */
const routeOf = (state: JobState, ordinal: number, fault: Fault, at: Instant): Route => {
  const plan = planOf(state, ordinal);
  const { failures, attempt } = taskAt(state, ordinal);
  if (state.stopping !== undefined) return { route: 'fail' };
  // It lay too long and nothing was begun: that is no attempt. Time and again it means that a worker's clock is ahead,
  // which is no reason to ask it without a pause.
  if (fault.source === expiredSource && fault.kind === 'unavailable' && at < state.deadline) {
    const before = attempt - 1 - failures;
    return { route: 'retry', due: before === 0 ? at : at + backOff(before - 1), free: true };
  }
  if (fault.retry_after_ms !== undefined && failures + 1 < plan.attempts) {
    const due = at + Math.max(backOff(failures), fault.retry_after_ms);
    // An attempt that could not begin before the job's deadline is none: better the fault now than the deadline later.
    if (due < state.deadline) return { route: 'retry', due };
  }
  return { route: ruleFor(plan.on_failure, fault) };
};

const backOff = (before: number): number => Math.min(jobLimits.retryMsMax, jobLimits.retryMs * 2 ** before);

/** The source a host names when it met a request past its deadline. */
export const expiredSource = 'expired';

export const ruleFor = (
  rules: readonly { readonly when?: Fault['kind'] | undefined; readonly do: 'fail' | 'skip' }[],
  fault: Fault,
): 'fail' | 'skip' => rules.find(({ when }) => when === undefined || when === fault.kind)?.do ?? 'fail';
