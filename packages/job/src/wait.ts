import type { Wait } from './job-record.ts';
import type { Group, JobState, Stopping } from './state.ts';
import { holderOf, planOf, taskAt, taskIdOf } from './tasks.ts';
import { type JobStatus, jobEnded, taskEnded } from './transitions.ts';

/** What one task waits for, as far as the job's own state says; undefined where it, or its job, has ended (M10). */
export const waitOf = (state: JobState, ordinal: number): Wait | undefined => {
  if (state.status === undefined || jobEnded(state.status)) return undefined;
  const task = taskAt(state, ordinal);
  const since = state.accepted_at;
  switch (task.status) {
    case 'running':
      if (task.group !== undefined) return waitForChild(state, task.group);
      if (state.stopping !== undefined) return lastWords(state.stopping);
      return (
        waitForAnswer(state, ordinal) ?? { reason: 'call', since: holderOf(state, ordinal)?.at ?? since }
      );
    case 'waiting':
      return {
        reason: 'retry',
        since: task.ended_at ?? since,
        ...(task.due !== undefined && { until: task.due }),
      };
    case 'ready':
      // All that could be given out has been: the one worker of an unsplit job is busy, or the job has as much out as it may.
      return state.decision?.split === false
        ? { reason: 'no_slot', since }
        : { reason: 'concurrency', since, on: 'job' };
    case 'pending': {
      if (task.child !== undefined) return { reason: 'concurrency', since, on: planOf(state, ordinal).id };
      const on = unfinishedBefore(state, ordinal);
      return { reason: 'dependency', since, ...(on !== undefined && { on: taskIdOf(state, on) }) };
    }
    default:
      return undefined;
  }
};

/**
 * What a job as a whole waits for (M10): its end, once it is stopping; else the oldest call that is out, else the attempt
 * that is due first, else the person who was asked first.
 */
export const jobWait = (state: JobState): Wait | undefined => {
  if (state.status === undefined || jobEnded(state.status)) return undefined;
  if (state.stopping !== undefined) return lastWords(state.stopping);
  const asked = state.asks.filter(({ answer }) => answer === undefined);
  const asking = new Set(asked.map(({ task }) => task));
  const calls = state.open.flatMap(({ at, tasks }) => {
    const task = tasks.find((one) => taskAt(state, one).status === 'running' && !asking.has(one));
    return task === undefined ? [] : [{ task, at }];
  });
  const [oldest] = calls.toSorted((one, other) => one.at - other.at);
  if (oldest !== undefined) return { reason: 'call', since: oldest.at, on: taskIdOf(state, oldest.task) };
  const [next] = state.retries;
  const retry = next === undefined ? undefined : waitOf(state, next);
  if (next !== undefined && retry !== undefined) return { ...retry, on: taskIdOf(state, next) };
  const [ask] = asked;
  return ask && { reason: 'answer', since: ask.at, on: ask.request };
};

/**
 * The status that people are told: a job of which nothing is under way but waiting, for a person or for the time of an
 * attempt, is `waiting`. The journal says `running` of it: what it waits for begins and ends without an event of the job's own.
 */
export const statusOf = (state: JobState): JobStatus => {
  const { status = 'queued' } = state;
  const reason = status === 'running' ? jobWait(state)?.reason : undefined;
  return reason === 'answer' || reason === 'retry' ? 'waiting' : status;
};

/**
 * From a task through unfinished ones, each of which waits for the one behind it, to one that waits for something else:
 * itself where it depends on nobody.
 */
export const waitChain = (state: JobState, ordinal: number): readonly number[] => {
  const chain = [ordinal];
  for (let on = waitsFor(state, ordinal); on !== undefined; on = waitsFor(state, on)) chain.push(on);
  return chain;
};

/** Of each task that waits for another the one that it waits for in the end: each link is looked at once. */
export const waitRoots = (state: JobState): ReadonlyMap<number, number> => {
  const roots = new Map<number, number>();
  for (const ordinal of state.tasks.keys()) {
    const way: number[] = [];
    let at = ordinal;
    for (let on = waitsFor(state, at); on !== undefined && !roots.has(at); on = waitsFor(state, at)) {
      way.push(at);
      at = on;
    }
    for (const one of way) roots.set(one, roots.get(at) ?? at);
  }
  return roots;
};

/** The next one that a task waits for, if it is one: of several the first that has not ended. */
const waitsFor = (state: JobState, ordinal: number): number | undefined => {
  const { status, group, child } = taskAt(state, ordinal);
  if (status === 'pending' && child === undefined) return unfinishedBefore(state, ordinal);
  return status === 'running' && group !== undefined ? unfinishedChild(state, group) : undefined;
};

const unfinishedBefore = (state: JobState, ordinal: number): number | undefined =>
  planOf(state, ordinal).deps.find((dep) => !taskEnded(taskAt(state, dep.task).status))?.task;

/** Children go in order, so the first that has not ended is under way, or about to be. */
const unfinishedChild = (state: JobState, { base, count }: Group): number | undefined => {
  for (let child = base; child < base + count; child++)
    if (!taskEnded(taskAt(state, child).status)) return child;
  return undefined;
};

const waitForChild = (state: JobState, group: Group): Wait => {
  const child = unfinishedChild(state, group);
  return {
    reason: 'dependency',
    since: state.accepted_at,
    ...(child !== undefined && { on: taskIdOf(state, child) }),
  };
};

/** A run that waits for a person says since when, and which request to answer. */
const waitForAnswer = (state: JobState, ordinal: number): Wait | undefined => {
  const ask = state.asks.find(({ task, answer }) => task === ordinal && answer === undefined);
  return ask === undefined ? undefined : { reason: 'answer', since: ask.at, on: ask.request };
};

/** Whoever was at work when the job began to stop may still say what came of it. */
const lastWords = ({ at, until }: Stopping): Wait => ({ reason: 'call', since: at, until });
