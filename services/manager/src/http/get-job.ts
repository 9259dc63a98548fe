import { ok, type Result } from '@foldmesh/envelope';
import { type JobRecord, type JobState, recordOf } from '@foldmesh/job';
import { readResult } from '@foldmesh/runtime';
import type { Api, ApiCall } from './api-call.ts';
import { knownJob } from './job-state.ts';
import { faultProblem } from './problem.ts';

/** The record; while the job runs, with a hint when to ask again. */
export const getJob = async (call: ApiCall): Promise<Response> => {
  const known = await knownJob(call);
  if (known instanceof Response) return known;
  const { state } = known.loaded;
  const record = await fullRecord(call, state);
  if (!record.ok) return faultProblem(call, record.fault, known.entity.job);
  return Response.json(record.value, {
    headers: { 'cache-control': 'no-store', ...(state.ended_at === undefined && { 'retry-after': '1' }) },
  });
};

/** A job with its result, fetched from where its parts lie. */
export const fullRecord = async (
  { ports, values, durability }: Api,
  state: JobState,
): Promise<Result<JobRecord>> => {
  const record = recordOf(state, ports.clock.now(), durability);
  if (state.status !== 'completed') return ok(record);
  const result = await readResult(state, values);
  return result.ok ? ok({ ...record, result: result.value }) : result;
};
