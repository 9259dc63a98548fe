import { type CancelReceipt, CancelRequest } from '@foldmesh/client';
import { indexedJobOf } from '../live-jobs.ts';
import type { ApiCall } from './api-call.ts';
import { knownOrLostJob, stateWhen } from './job-state.ts';
import { jsonAnswer } from './json-answer.ts';
import { faultProblem, problem } from './problem.ts';
import { readFields } from './read-body.ts';
import { commandIdOf, sendCommand } from './send-command.ts';
import { newTrace } from './trace-of.ts';

/** Says so when the job has begun to stop. One that is stopping or has ended is left as it is: the answer is the same. */
export const cancelJob = async (call: ApiCall): Promise<Response> => {
  const known = await knownOrLostJob(call);
  if (known instanceof Response) return known;
  const read = await readFields(call, CancelRequest);
  if (read instanceof Response) return read;
  const { entity, loaded } = known;
  const { job } = entity;
  const { state } = loaded;
  if (loaded.lost !== undefined || (state.stopping === undefined && state.ended_at === undefined)) {
    const trace_id = state.trace_id ?? (await indexedJobOf(call.ports, entity))?.trace_id ?? call.trace_id;
    const trace = newTrace(trace_id, call.ports.random);
    const id = commandIdOf('job.cancel', read.fields.reason ?? '');
    const sent = await sendCommand(
      call,
      { type: 'job.cancel', payload: read.fields },
      { ...entity, ...trace, id },
    );
    if (!sent.ok) return faultProblem(call, sent.fault, job);
  }
  const status = await stateWhen(call, entity, ({ stopping, ended_at, status: now }) =>
    stopping !== undefined || ended_at !== undefined ? now : undefined,
  );
  if (!status.ok) return faultProblem(call, status.fault, job);
  if (status.value === undefined)
    return problem(call, {
      status: 503,
      code: 'unanswered',
      title: 'It has not begun to stop in time, and may still do so',
      retryAfterS: 1,
      job,
    });
  const self = `/v1/jobs/${job}`;
  return jsonAnswer<CancelReceipt>(
    { id: job, status: status.value, links: { self, events: `${self}/events` } },
    { status: 202, headers: { location: self } },
  );
};
