import { apiLimits, type RecordQuery } from '@foldmesh/client';
import { ok, type Result } from '@foldmesh/envelope';
import { type JobRecord, type JobState, recordOf, type TaskRange, taskWithId } from '@foldmesh/job';
import { isGone, readResult } from '@foldmesh/runtime';
import type { z } from 'zod';
import type { Api, ApiCall } from './api-call.ts';
import { knownJob } from './job-state.ts';
import { jsonAnswer } from './json-answer.ts';
import { faultProblem, invalidQuery } from './problem.ts';

/** The record; while the job runs, with a hint when to ask again. */
export const getJob = async (call: ApiCall<z.output<typeof RecordQuery>>): Promise<Response> => {
  const known = await knownJob(call);
  if (known instanceof Response) return known;
  const { state } = known.loaded;
  const { tasks_after, tasks_limit: limit = apiLimits.tasksPageDefault } = call.query;
  const after = tasks_after === undefined ? -1 : taskWithId(state, tasks_after);
  if (after === undefined)
    return invalidQuery(call, [{ path: ['tasks_after'], message: 'the job has no such task' }]);
  const record = await fullRecord(call, state, { from: after + 1, limit });
  if (!record.ok) return faultProblem(call, record.fault, known.entity.job);
  return jsonAnswer(record.value, {
    headers: state.ended_at === undefined ? { 'retry-after': '1' } : {},
  });
};

const firstPage: TaskRange = { from: 0, limit: apiLimits.tasksPageDefault };

/** A job with a page of its tasks, and with its result, fetched from where its parts lie. */
export const fullRecord = async (
  { ports, values, durability }: Pick<Api, 'ports' | 'values' | 'durability'>,
  state: JobState,
  tasks = firstPage,
): Promise<Result<JobRecord>> => {
  const record = recordOf(state, ports.clock.now(), durability, tasks);
  if (state.status !== 'completed') return ok(record);
  const result = await readResult(state, values);
  if (result.ok) return ok({ ...record, result: result.value });
  // It has completed all the same, and there is more to its record than what it made.
  return isGone(result.fault) ? ok({ ...record, fault: result.fault }) : result;
};
