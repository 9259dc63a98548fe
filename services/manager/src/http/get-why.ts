import { JobId } from '@foldmesh/envelope';
import { whyOf } from '../why/why-of.ts';
import type { ApiCall } from './api-call.ts';
import { jsonAnswer } from './json-answer.ts';
import { faultProblem, notFound } from './problem.ts';

/** Why a job does not go on, or why it ended; asked of the mesh at this moment. */
export const getWhy = async (call: ApiCall): Promise<Response> => {
  const job = JobId.safeParse(call.param('job')).data;
  if (job === undefined) return notFound(call, 'job');
  const why = await whyOf(call, job);
  if (!why.ok) return faultProblem(call, why.fault, job);
  return why.value === undefined ? notFound(call, 'job') : jsonAnswer(why.value);
};
