import { jobTask, type Key, positionOf } from '@foldmesh/envelope';
import type { JobState } from './state.ts';
import { planOf, taskWithId } from './tasks.ts';
import { jobEnded } from './transitions.ts';

/**
 * What a job's journal says of work that was asked in its name: `open` while it waits for the answer to what event
 * `asked` first asked (every attempt of a task keeps its key, so an earlier one's effects are this one's too), `answered`
 * when it has one or no longer wants it. Asked by a handler whose store knows nothing of an
 * envelope that is not fresh.
 */
export const standingOf = (
  state: JobState,
  key: Key,
  attempt: number,
): { readonly kind: 'open'; readonly asked: number } | { readonly kind: 'answered' } => {
  const answered = { kind: 'answered' } as const;
  if (state.status === undefined) return answered;
  const { task, round, step, call } = positionOf(key);
  if (round !== state.round) return answered;
  if (jobEnded(state.status)) {
    // Of what an ended job asked, only the halt of those who were silent, or are not known any more, is still wanted.
    const halts = task === jobTask && String(state.stopping?.step) === step;
    return halts && ((state.receipt?.silent.length ?? 0) > 0 || state.lost !== undefined)
      ? { kind: 'open', asked: state.position - 1 }
      : answered;
  }
  if (task === jobTask) {
    if (state.stopping !== undefined && String(state.stopping.step) === step)
      return { kind: 'open', asked: state.stopping.step };
    const open = state.open.find(
      (assignment) => String(assignment.step) === step && String(assignment.call) === call,
    );
    return open === undefined || state.stopping !== undefined ? answered : { kind: 'open', asked: open.step };
  }
  if (state.stopping !== undefined) return answered;
  const ordinal = taskWithId(state, task);
  const here = ordinal === undefined ? undefined : state.tasks[ordinal];
  return here?.status === 'running' && here.held !== undefined && here.attempt === attempt
    ? { kind: 'open', asked: here.step ?? here.held.step }
    : answered;
};

/** Whether the task that a key names is an agent's: then its calls stand in the journal of its run. */
export const isAgentTask = (state: JobState, key: Key): boolean => {
  const ordinal = taskWithId(state, positionOf(key).task);
  return ordinal !== undefined && planOf(state, ordinal).run.kind === 'agent';
};
