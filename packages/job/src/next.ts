import {
  type Binding,
  type Draft,
  type Instant,
  invariant,
  keyOf,
  limits,
  positionOf,
  shardOf,
  type TaskPart,
} from '@foldmesh/envelope';
import type { Effect } from '@foldmesh/ports';
import { bindAll, itemOf } from './bind.ts';
import type { Assignment, JobState, Stopping } from './state.ts';
import { jobKeyOf, planOf, taskAt, taskIdOf, taskKeyOf } from './tasks.ts';
import { jobEnded } from './transitions.ts';

/** All that should be in flight and was asked by event `from` or later: open assignments, or the halt of a stopping job. */
export function* nextOfJob(state: JobState, from = 0): Generator<Effect> {
  if (state.status === undefined) return;
  if (jobEnded(state.status)) return yield* lastWords(state, from);
  const { stopping } = state;
  if (stopping !== undefined) {
    if (stopping.step < from) return;
    yield { draft: haltOf(state, stopping), asked: stopping.step, asked_at: stopping.at };
    yield* runCancels(state, stopping);
    return;
  }
  for (const open of state.open)
    if (open.step >= from) yield { draft: assignOf(state, open), asked: open.step, asked_at: open.at };
  for (const { key, task, request, answer } of state.asks)
    if (answer !== undefined && answer.step >= from) {
      const to = { service: 'worker', pool: planOf(state, task).pool } as const;
      const payload = { request, value: answer.value, by: answer.by };
      const draft: Draft = { type: 'run.answer', to, key, attempt: taskAt(state, task).attempt, payload };
      yield { draft, asked: answer.step, asked_at: answer.at };
    }
}

/** A run is told itself: unlike a skill it holds no claim that would notice. */
function* runCancels(state: JobState, { step, at }: Stopping): Generator<Effect> {
  for (const [index, { tasks }] of state.open.entries()) {
    const [task] = tasks;
    if (task !== undefined && planOf(state, task).run.kind === 'agent')
      yield { draft: cancelOf(state, task, step, index), asked: step, asked_at: at };
  }
}

/**
 * Who was silent to the end may never have been told: a manager that dies between the entry and the publish takes the word
 * along, and when it comes back the time for last words is over. So the end says it once more, and everybody may hear it
 * twice.
 */
function* lastWords(state: JobState, from: number): Generator<Effect> {
  const { stopping, receipt, ended_at } = state;
  const asked = state.position - 1;
  if (stopping === undefined || ended_at === undefined || asked < from) return;
  const silent = new Set(receipt?.silent);
  if (silent.size === 0 && state.lost === undefined) return;
  yield { draft: haltOf(state, stopping), asked, asked_at: ended_at };
  for (const [index, task] of stopping.asked.entries())
    if (silent.has(taskIdOf(state, task)) && planOf(state, task).run.kind === 'agent')
      yield { draft: cancelOf(state, task, asked, index), asked, asked_at: ended_at };
}

const cancelOf = (state: JobState, task: number, step: number, call: number): Draft => {
  const { tenant, job } = positionOf(jobKeyOf(state, step, 0));
  return {
    type: 'run.cancel',
    to: { service: 'worker', pool: planOf(state, task).pool },
    key: keyOf({
      tenant,
      job,
      task: taskIdOf(state, task),
      round: state.round,
      step: String(step),
      call: String(call),
    }),
    attempt: 1,
    payload: {},
  };
};

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
  const isAgent = planOf(state, first).run.kind === 'agent';
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
    // A run may last as long as its job: what it asks for has deadlines of its own.
    ...(isAgent
      ? { lane: 'decide', deadline: state.deadline }
      : { deadline: Math.min(state.deadline, open.at + limits.requestMs) }),
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

/** When the job's time is over, as far as can be said: while a person is waited for, it stands still. */
export const jobUntil = ({ spec, asking_since, deadline }: JobState): Instant | undefined =>
  spec === undefined || asking_since !== undefined ? undefined : deadline;

/** When time alone makes the job owe something: its deadline, the end of its stopping, its next retry. */
export const jobWakesAt = (state: JobState): number | undefined => {
  if (state.status === undefined || jobEnded(state.status)) return undefined;
  if (state.stopping !== undefined) return state.stopping.until;
  const [soonest] = state.retries;
  const due = soonest === undefined ? undefined : taskAt(state, soonest).due;
  const deadline = jobUntil(state);
  return due === undefined || deadline === undefined ? (due ?? deadline) : Math.min(due, deadline);
};
