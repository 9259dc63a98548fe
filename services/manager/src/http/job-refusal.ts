import { checkJob, type Problem } from '@foldmesh/job';
import type { ParsedText } from '@foldmesh/system';
import { isWrongAnyway } from '../not-yet-offered.ts';
import type { ApiCall } from './api-call.ts';
import { faultProblem, problem, withLines } from './problem.ts';

/**
 * The answer that says everything that is wrong with a job, if it cannot be run. It is looked at again with what the pools
 * offer now, before it is refused for what they did not offer a while ago; where nobody can say that now, so does the answer.
 */
export const refusalOf = async (call: ApiCall, job: ParsedText): Promise<Response | undefined> => {
  const { catalogue } = call;
  const payload = { spec: job.value };
  if (!('problems' in checkJob(payload, catalogue))) return undefined;
  const read = await catalogue.refresh();
  const again = checkJob(payload, catalogue);
  if (!('problems' in again)) return undefined;
  return read.ok || isWrongAnyway(payload)
    ? invalidJob(call, again.problems, job)
    : faultProblem(call, read.fault);
};

export const invalidJob = (call: ApiCall, problems: readonly Problem[], { lineOf }: ParsedText): Response =>
  problem(call, {
    status: 400,
    code: 'invalid_job',
    title: 'The job cannot be run',
    errors: withLines(problems, lineOf),
  });
