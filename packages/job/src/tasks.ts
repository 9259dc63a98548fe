import { childOf, invariant, jobTask, type Key, keyOf, positionOf, type TaskId } from '@foldmesh/envelope';
import { type PlanTask, runName } from './plan/plan.ts';
import type { Assignment, JobState, TaskState } from './state.ts';

export const taskAt = (state: JobState, ordinal: number): TaskState => {
  const task = state.tasks[ordinal];
  invariant(task !== undefined, `M4: no task has the ordinal ${ordinal}`);
  return task;
};

/** What a task has to do: its own plan entry, or that of the `for_each` it is a child of. */
export const planOf = (state: JobState, ordinal: number): PlanTask => {
  const plan = state.plan[taskAt(state, ordinal).plan];
  invariant(plan !== undefined, `M4: the task ${ordinal} has no plan`);
  return plan;
};

/** `audit`, or `audit~3` for a child. */
export const taskIdOf = (state: JobState, ordinal: number): TaskId => {
  const { child } = taskAt(state, ordinal);
  const { id } = planOf(state, ordinal);
  return child === undefined ? (id as TaskId) : childOf(id as TaskId, child); // a plan's task id is a task id
};

/** The key a task has had since its first assignment in this round, undefined before it. */
export const taskKeyOf = (state: JobState, ordinal: number): Key | undefined => {
  const { step, call } = taskAt(state, ordinal);
  if (step === undefined || call === undefined || state.tenant === undefined || state.job === undefined)
    return undefined;
  return keyOf({
    tenant: state.tenant,
    job: state.job,
    task: taskIdOf(state, ordinal),
    round: state.round,
    step: String(step),
    call: String(call),
  });
};

/** The task at a key, if that key is the one it has now. */
export const taskWithKey = (state: JobState, key: Key): number | undefined => {
  const ordinal = taskWithId(state, positionOf(key).task);
  return ordinal !== undefined && taskKeyOf(state, ordinal) === key ? ordinal : undefined;
};

/** The task with this id: one of the plan, or a child that has come to be. */
export const taskWithId = (state: JobState, id: TaskId): number | undefined => {
  const [name, child] = id.split('~');
  const parent = name === undefined ? undefined : ordinalOf(state, name);
  return parent === undefined || child === undefined ? parent : childOrdinal(state, parent, Number(child));
};

/** A position of the job itself: a bundle's, or what it tells its own manager. */
export const jobKeyOf = (state: JobState, step: number, call: number): Key => {
  const { tenant, job, round } = state;
  invariant(tenant !== undefined && job !== undefined, 'M1: a job in flight has a tenant and an id');
  return keyOf({ tenant, job, task: jobTask, round, step: String(step), call: String(call) });
};

/** The open assignment that a task is out with. */
export const holderOf = (state: JobState, ordinal: number): Assignment | undefined => {
  const { held } = taskAt(state, ordinal);
  if (held === undefined) return undefined;
  return state.open.find(({ step, call }) => step === held.step && call === held.call);
};

const childOrdinal = (state: JobState, parent: number, child: number): number | undefined => {
  const group = state.tasks[parent]?.group;
  return group !== undefined && child < group.count ? group.base + child : undefined;
};

/** The ordinal of a plan task by its id. */
export const ordinalOf = (state: Pick<JobState, 'ordinals'>, id: string): number | undefined =>
  Object.hasOwn(state.ordinals, id) ? state.ordinals[id] : undefined;

/** Milliseconds one task of this name takes: the median of what this job has seen, else what it was accepted with. */
export const costOf = (state: JobState, plan: PlanTask): number => {
  const seen = state.observed[runName(plan)];
  if (seen === undefined || seen.length < observedMin) return plan.cost_ms;
  return seen.toSorted((a, b) => a - b)[seen.length >> 1] ?? plan.cost_ms;
};

/** Fewer durations say too little. */
const observedMin = 3;

/** Tasks that could be assigned now, in the order in which they became ready. */
export function* readyTasks(state: JobState): Generator<number> {
  const seen = new Set<number>();
  for (let at = state.ready_from; at < state.ready.length; at++) {
    const ordinal = state.ready[at] as number; // at is in range
    if (seen.has(ordinal) || taskAt(state, ordinal).status !== 'ready') continue;
    seen.add(ordinal);
    yield ordinal;
  }
}
