import { TaskId } from '@foldmesh/envelope';
import { taskIdOf, taskWithId } from '@foldmesh/job';
import type { ApiCall } from './api-call.ts';
import { type Known, knownJob } from './job-state.ts';
import { notFound } from './problem.ts';

/** A task that there is, of a job that there is. */
export interface KnownTask extends Known {
  readonly task: TaskId;
  readonly ordinal: number;
}

/** The task that the path names, or the answer that there is none. */
export const knownTask = async (call: ApiCall): Promise<KnownTask | Response> => {
  const known = await knownJob(call);
  if (known instanceof Response) return known;
  const task = TaskId.safeParse(call.param('task')).data;
  const ordinal = task === undefined ? undefined : taskWithId(known.loaded.state, task);
  // One task has one name: `a~01` is none.
  const isNamed = ordinal !== undefined && taskIdOf(known.loaded.state, ordinal) === task;
  return task !== undefined && isNamed ? { ...known, task, ordinal } : notFound(call, 'task');
};
