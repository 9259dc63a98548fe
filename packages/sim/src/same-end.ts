import type { Fault } from '@foldmesh/envelope';
import { type JobState, type TaskStatus, taskIdOf } from '@foldmesh/job';
import { byChance } from '@foldmesh/worlds';
import { sameJson } from './same-json.ts';
import type { ToldJob } from './told.ts';

/**
 * Whatever has gone wrong on the way, a job comes to what it would have come to, but for what it openly does not know, and
 * for what nobody would do for it: a tool or a model that failed unplanned for longer than it was asked again.
 */
export const sameEnd = (jobs: readonly ToldJob[], calmJobs: readonly ToldJob[]): readonly string[] =>
  jobs.flatMap((job) => {
    const other = calmJobs.find(({ name }) => name === job.name);
    return other === undefined ? [] : compare(job.name, job.state, other.state);
  });

const compare = (name: string, state: JobState, expected: JobState): readonly string[] => {
  if (isExcused(state) || isExcused(expected)) return [];
  const wrong = state.tasks.flatMap((task, ordinal) => {
    const other = expected.tasks[ordinal];
    const id = taskIdOf(state, ordinal);
    if (task.status !== 'completed' || other === undefined) return [];
    if (other.status === 'failed') return [`${name}: ${id} is completed, and fails where nothing goes wrong`];
    return other.status === 'completed' && !sameJson(task.output, other.output)
      ? [`${name}: ${id} gives another output than where nothing goes wrong`]
      : [];
  });
  if (state.tasks.some(({ status, fault }) => isTheWorlds(status, fault))) return wrong;
  if (state.status !== expected.status || state.end_reason !== expected.end_reason)
    wrong.push(
      `${name} is ${state.status} (${state.end_reason}: ${state.fault?.detail}), and where nothing goes wrong ${expected.status} (${expected.end_reason})`,
    );
  // Below a job that fails, how far the other tasks had come is a matter of time.
  if (state.status === 'completed' && expected.status === 'completed')
    state.tasks.forEach(({ status }, ordinal) => {
      const other = expected.tasks[ordinal]?.status;
      if (status !== other)
        wrong.push(
          `${name}: ${taskIdOf(state, ordinal)} is ${status}, and where nothing goes wrong ${other}`,
        );
    });
  return wrong;
};

/** Somebody changed their mind, or its time was over; one that has not ended is M1's. */
const isExcused = ({ end_reason, ended_at }: JobState): boolean =>
  end_reason === 'cancelled' || end_reason === 'deadline' || ended_at === undefined;

/** What the job says openly, or what no mesh could have helped. */
const isTheWorlds = (status: TaskStatus, fault: Fault | undefined): boolean =>
  status === 'unknown' ||
  (fault !== undefined &&
    status !== 'completed' &&
    (fault.detail.includes(byChance) || ['unavailable', 'unanswered', 'throttled'].includes(fault.kind)));
