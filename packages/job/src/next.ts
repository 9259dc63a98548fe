import {
  type Binding,
  type Draft,
  invariant,
  limits,
  positionOf,
  shardOf,
  type TaskPart,
} from '@foldmesh/envelope';
import type { Effect } from '@foldmesh/ports';
import { bindAll, itemOf } from './bind.ts';
import type { Assignment, JobState, Stopping } from './state.ts';
import { jobKeyOf, planOf, taskAt, taskKeyOf } from './tasks.ts';
import { jobEnded } from './transitions.ts';

/** All that should be in flight and was asked by event `from` or later: open assignments, or the halt of a stopping job. */
export function* nextOfJob(state: JobState, from = 0): Generator<Effect> {
  if (state.status === undefined || jobEnded(state.status)) return;
  const { stopping } = state;
  if (stopping !== undefined) {
    if (stopping.step >= from)
      yield { draft: haltOf(state, stopping), asked: stopping.step, asked_at: stopping.at };
    return;
  }
  for (const open of state.open)
    if (open.step >= from) yield { draft: assignOf(state, open), asked: open.step, asked_at: open.at };
}

/** Queued work is purged and the inbox marked: the sure half of a cancel. */
const haltOf = (state: JobState, { step }: Stopping): Draft => {
  const key = jobKeyOf(state, step, 0);
  return {
    type: 'job.halt',
    to: { service: 'manager', pool: shardOf(positionOf(key).job) },
    key,
    attempt: 1,
    payload: {},
  };
};

/** One alone goes under its own key and attempt; several under a position of their own. */
const assignOf = (state: JobState, open: Assignment): Draft => {
  const [first] = open.tasks;
  invariant(first !== undefined, 'M4: an assignment holds a task');
  const local = new Set(open.tasks);
  const alone = open.tasks.length === 1;
  // Children of one for_each share a template, whose lookups may stand for long lists: once is enough.
  const plans = new Set(open.tasks.map((ordinal) => planOf(state, ordinal)));
  const bind: Record<string, Binding> = {};
  for (const { input } of plans) Object.assign(bind, bindAll(state, input, local));
  return {
    type: 'task.assign',
    to: { service: 'worker', pool: planOf(state, first).pool },
    key: alone ? partOf(state, first).key : jobKeyOf(state, open.step, open.call),
    attempt: alone ? taskAt(state, first).attempt : 1,
    payload: {
      tasks: open.tasks.map((ordinal) => partOf(state, ordinal)),
      ...(!alone && { attempts: open.tasks.map((ordinal) => taskAt(state, ordinal).attempt) }),
      ...(Object.keys(bind).length > 0 && { bind }),
    },
    deadline: Math.min(state.deadline, open.at + limits.requestMs),
  };
};

const partOf = (state: JobState, ordinal: number): TaskPart => {
  const plan = planOf(state, ordinal);
  const key = taskKeyOf(state, ordinal);
  invariant(key !== undefined, `M4: the task ${ordinal} is out without a key`);
  const item = itemOf(state, ordinal);
  return {
    key,
    run: plan.run,
    input: plan.input,
    ...(item !== undefined && { item }),
    ...(plan.probes.length > 0 && { probes: plan.probes }),
  };
};

/** When time alone makes the job owe something: its deadline, the end of its stopping, its next retry. */
export const jobWakesAt = (state: JobState): number | undefined => {
  if (state.status === undefined || jobEnded(state.status)) return undefined;
  if (state.stopping !== undefined) return state.stopping.until;
  const [soonest] = state.retries;
  return Math.min(
    state.deadline,
    (soonest === undefined ? undefined : taskAt(state, soonest).due) ?? state.deadline,
  );
};
