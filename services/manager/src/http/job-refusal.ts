import { checkJob, type Problem } from '@foldmesh/job';
import type { ParsedText } from '@foldmesh/system';
import type { ApiCall } from './api-call.ts';
import { problem, withLines } from './problem.ts';

/**
 * The answer that says everything that is wrong with a job, if it cannot be run. It is looked at again with what the pools
 * offer now, before it is refused for what they did not offer a while ago.
 */
export const refusalOf = async (call: ApiCall, job: ParsedText): Promise<Response | undefined> => {
  const { catalogue } = call;
  const checked = checkJob({ spec: job.value }, catalogue);
  if (!('problems' in checked)) return undefined;
  await catalogue.refresh();
  const again = checkJob({ spec: job.value }, catalogue);
  return 'problems' in again ? invalidJob(call, again.problems, job) : undefined;
};

export const invalidJob = (call: ApiCall, problems: readonly Problem[], { lineOf }: ParsedText): Response =>
  problem(call, {
    status: 400,
    code: 'invalid_job',
    title: 'The job cannot be run',
    errors: withLines(problems, lineOf),
  });
