import type { JobState } from './state.ts';
import { planOf, taskAt } from './tasks.ts';
import { mayMove, type TaskStatus, taskEnded, taskMoves } from './transitions.ts';

export const moveTask = (state: JobState, ordinal: number, to: TaskStatus): void => {
  const task = taskAt(state, ordinal);
  mayMove(taskMoves, `task ${ordinal}`, task.status, to);
  task.status = to;
};

/** A `for_each` waits to be expanded, anything else to be assigned. */
export const makeReady = (state: JobState, ordinal: number): void => {
  const task = taskAt(state, ordinal);
  moveTask(state, ordinal, 'ready');
  if (task.child === undefined && planOf(state, ordinal).for_each !== undefined)
    state.to_expand.push(ordinal);
  else state.ready.push(ordinal);
};

/** The task's last transition, and what it means for those that wait for it. */
export const endTask = (state: JobState, ordinal: number, to: TaskStatus): JobState => {
  const task = taskAt(state, ordinal);
  if (task.status === 'pending' && to === 'failed') moveTask(state, ordinal, 'ready');
  moveTask(state, ordinal, to);
  state.left -= 1;
  if (task.child === undefined) tellDependents(state, ordinal, to);
  else tellParent(state, task.plan, task.child, to);
  return state;
};

const tellDependents = (state: JobState, ordinal: number, to: TaskStatus): void => {
  for (const { task: waiting, optional } of state.dependents[ordinal] ?? []) {
    const dependent = taskAt(state, waiting);
    if (taskEnded(dependent.status)) continue;
    if (to !== 'completed' && !optional) state.to_skip.push({ task: waiting, because: ordinal });
    else {
      dependent.unmet -= 1;
      if (dependent.unmet === 0 && dependent.status === 'pending') makeReady(state, waiting);
    }
  }
};

/** One child ended: the next may go, and after the last the parent can be joined. */
const tellParent = (state: JobState, parent: number, child: number, to: TaskStatus): void => {
  const { group, status } = taskAt(state, parent);
  if (group === undefined) return;
  group.ended += 1;
  if (to !== 'completed') group.gaps.push(child);
  if (taskEnded(status)) return;
  if (group.released < group.count && state.stopping === undefined) {
    makeReady(state, group.base + group.released);
    group.released += 1;
  }
  if (group.ended === group.count) state.to_join.push(parent);
};

/** Takes ordinals off a work list in place. They nearly always stand first, and then the rest is not looked at. */
export const takeOff = (list: number[], taken: readonly number[]): void => {
  if (taken.every((ordinal, at) => list[at] === ordinal)) {
    list.splice(0, taken.length);
    return;
  }
  const gone = new Set(taken);
  const kept = list.filter((ordinal) => !gone.has(ordinal));
  list.length = 0;
  for (const ordinal of kept) list.push(ordinal);
};
