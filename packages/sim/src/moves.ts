import type { JobState } from '@foldmesh/job';
import type { RunState } from '@foldmesh/run';
import { type Coverage, count } from './coverage.ts';

/** Counts the moves that folding one event into a job makes; a job that has just been accepted has made none. */
export const jobMovesIn =
  (coverage: Coverage) =>
  (before: JobState, fold: () => JobState): JobState => {
    const { status } = before;
    const tasks = before.tasks.map((task) => task.status);
    const after = fold();
    if (status !== undefined && after.status !== status) count(coverage, `job ${status} → ${after.status}`);
    tasks.forEach((from, ordinal) => {
      const to = after.tasks[ordinal]?.status;
      if (to !== from) count(coverage, `task ${from} → ${to}`);
    });
    return after;
  };

/** The same for a run. */
export const runMovesIn =
  (coverage: Coverage) =>
  (before: RunState, fold: () => RunState): RunState => {
    const { status } = before;
    const after = fold();
    if (after.status !== status) count(coverage, `run ${status} → ${after.status}`);
    return after;
  };
