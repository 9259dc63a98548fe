import type { JobState, TaskRecord, TaskStatus } from '@foldmesh/job';

/** One line's worth of a plan task, its children counted together. */
export interface Row {
  readonly id: string;
  readonly what: string;
  readonly counts: ReadonlyMap<TaskStatus, number>;
  readonly total: number;
  readonly status: TaskStatus;
  /** How many of them have ended. */
  readonly done: number;
  /** Why it does not go on; of children, why the first of those that wait does not. */
  readonly wait?: NonNullable<TaskRecord['wait']>;
}

const endings: readonly TaskStatus[] = ['completed', 'failed', 'skipped', 'cancelled', 'unknown'];

/** Plan tasks, with the counts of their children by status. A task that has no children counts itself. */
export const rowsOf = (state: JobState, tasks: readonly TaskRecord[] = []): readonly Row[] =>
  state.plan.map((plan, ordinal) => {
    const { group } = state.tasks[ordinal] ?? {};
    const [from, count] = group === undefined ? [ordinal, 1] : [group.base, group.count];
    const counts = countsOf(state.tasks.slice(from, from + count));
    const done = endings.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
    const wait = waitAmong(tasks, from, count);
    return {
      id: plan.id,
      what: `${plan.run.kind} ${plan.run.name}`,
      counts,
      total: count,
      status: statusOf(counts, done, count),
      done,
      ...(wait !== undefined && { wait }),
    };
  });

const countsOf = (tasks: JobState['tasks']): ReadonlyMap<TaskStatus, number> => {
  const counts = new Map<TaskStatus, number>();
  for (const task of tasks) counts.set(shownStatus(task), (counts.get(shownStatus(task)) ?? 0) + 1);
  return counts;
};

/** A fused task is out with the one it waits for, and not begun before that has ended. */
const shownStatus = ({ status, unmet }: JobState['tasks'][number]): TaskStatus =>
  status === 'running' && unmet > 0 ? 'pending' : status;

const statusOf = (counts: Row['counts'], done: number, total: number): TaskStatus => {
  for (const status of ['unknown', 'failed', 'running', 'waiting', 'cancelled'] as const)
    if (counts.has(status)) return status;
  if (done === total) return counts.has('completed') ? 'completed' : 'skipped';
  return done > 0 ? 'running' : 'pending';
};

/** A person comes before a retry, and both before work that is simply under way. */
const waitAmong = (tasks: readonly TaskRecord[], from: number, count: number): Row['wait'] => {
  let first: Row['wait'];
  for (const { wait } of tasks.slice(from, from + count)) {
    if (wait?.reason === 'answer') return wait;
    if (wait !== undefined && wait.reason !== 'call') first ??= wait;
  }
  return first;
};
