import type { EventOf } from './events.ts';
import { forgetAsks } from './evolve-asks.ts';
import { endTask, moveTask } from './evolve-task.ts';
import { jobLimits } from './job-limits.ts';
import { runName } from './plan/plan.ts';
import type { JobState } from './state.ts';
import { holderOf, planOf, taskAt } from './tasks.ts';

/** What a worker said of one task. */
type Settled =
  | EventOf<'task-completed'>
  | EventOf<'task-failed'>
  | EventOf<'task-unknown'>
  | EventOf<'task-stopped'>;

export const evolveSettled = (state: JobState, event: Settled): JobState => {
  const task = taskAt(state, event.task);
  release(state, event.task);
  forgetAsks(state, event.task, event.ended_at);
  task.worker = event.worker;
  task.started_at = event.started_at;
  task.ended_at = event.ended_at;
  if (event.usage !== undefined) {
    const { tool_calls = 0, model_calls = 0 } = event.usage;
    task.usage = {
      tool_calls: (task.usage?.tool_calls ?? 0) + tool_calls,
      model_calls: (task.usage?.model_calls ?? 0) + model_calls,
    };
    state.tool_calls += tool_calls;
    state.model_calls += model_calls;
  }
  switch (event.kind) {
    case 'task-completed':
      task.output = event.output;
      if (event.probed !== undefined) task.probed = event.probed;
      delete task.fault;
      remember(state, runName(planOf(state, event.task)), event.ended_at - event.started_at);
      return endTask(state, event.task, 'completed');
    case 'task-failed':
      return failed(state, event);
    case 'task-unknown':
      task.open = event.open;
      state.broken ??= event.task;
      return endTask(state, event.task, 'unknown');
    case 'task-stopped':
      return endTask(state, event.task, 'cancelled');
  }
};

const failed = (state: JobState, event: EventOf<'task-failed'>): JobState => {
  const task = taskAt(state, event.task);
  task.fault = event.fault;
  if (event.free !== true) task.failures += 1;
  if (event.route === 'retry') {
    moveTask(state, event.task, 'waiting');
    task.attempt += 1;
    task.due = event.due ?? 0;
    insertByDue(state, event.task);
    return state;
  }
  if (event.route === 'fail') state.broken ??= event.task;
  return endTask(state, event.task, 'failed');
};

/** Kept sorted, so that the clock is compared with the first one only, however many wait. */
const insertByDue = (state: JobState, ordinal: number): void => {
  const due = taskAt(state, ordinal).due ?? 0;
  let [low, high] = [0, state.retries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((state.tasks[state.retries[middle] ?? 0]?.due ?? 0) <= due) low = middle + 1;
    else high = middle;
  }
  state.retries.splice(low, 0, ordinal);
};

/** Takes a task out of the assignment that held it, and closes that when it was the last. */
const release = (state: JobState, ordinal: number): void => {
  const task = taskAt(state, ordinal);
  const assignment = holderOf(state, ordinal);
  delete task.held;
  if (assignment === undefined) return;
  assignment.left -= 1;
  if (assignment.left === 0) state.open = state.open.filter((open) => open !== assignment);
};

const remember = (state: JobState, name: string, ms: number): void => {
  const seen = state.observed[name] ?? [];
  state.observed[name] = seen;
  seen.push(Math.max(0, ms));
  if (seen.length > jobLimits.observedMax) seen.shift();
};
