import type { PlanPreview } from '@foldmesh/client';
import { dryRun } from '@foldmesh/job';
import type { ApiCall } from './api-call.ts';
import { invalidJob, refusalOf } from './job-refusal.ts';
import { jsonAnswer } from './json-answer.ts';
import { readBody } from './read-body.ts';

/** What would be done with a job: the very checks and the very decision of a submit, and nothing is appended. */
export const planJob = async (call: ApiCall): Promise<Response> => {
  const read = await readBody(call);
  if (read instanceof Response) return read;
  const refused = await refusalOf(call, read);
  if (refused !== undefined) return refused;
  const run = dryRun(read.value, call.catalogue, call.ports.clock.now());
  if ('problems' in run) return invalidJob(call, run.problems, read);
  return jsonAnswer<PlanPreview>(run.plan);
};
