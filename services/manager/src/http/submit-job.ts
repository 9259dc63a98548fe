import type { Accepted } from '@foldmesh/client';
import { type Digest, fingerprint, type JobId } from '@foldmesh/envelope';
import type { JobState } from '@foldmesh/job';
import type { ApiCall } from './api-call.ts';
import { hearRefusal } from './hear-refusal.ts';
import { idempotencyKey, jobIdentity } from './idempotency-key.ts';
import { refusalOf } from './job-refusal.ts';
import { acceptedInTime, acceptedState } from './job-state.ts';
import { jsonAnswer } from './json-answer.ts';
import { faultProblem, problem } from './problem.ts';
import { readBody } from './read-body.ts';
import { sendCommand } from './send-command.ts';

/** Validates, publishes the command, and answers when it sees the first entry: nothing is accepted that is not stored. */
export const submitJob = async (call: ApiCall): Promise<Response> => {
  const named = idempotencyKey(call.request);
  if ('wrong' in named)
    return problem(call, {
      status: 400,
      code: 'invalid_key',
      title: 'The key cannot be',
      detail: named.wrong,
    });
  const read = await readBody(call);
  if (read instanceof Response) return read;
  const payload = { spec: read.value };
  const print = fingerprint('job.submit', payload);
  const { job, id } = jobIdentity(call.tenant, named.key, call.ports.random);
  const entity = { tenant: call.tenant, job };
  // A repeat is answered from what there is: what the mesh can do may have changed meanwhile, what it accepted has not.
  const before = named.key === undefined ? undefined : await acceptedState(call, entity);
  if (before?.ok === false) return faultProblem(call, before.fault, job);
  if (before?.value !== undefined) return answerOf(call, before.value, job, print);
  const refused = await refusalOf(call, read);
  if (refused !== undefined) return refused;
  await using refusal = hearRefusal(call);
  const sending = { ...call, job, id, reply_to: refusal.reply_to };
  const sent = await sendCommand(call, { type: 'job.submit', payload }, sending);
  if (!sent.ok) return faultProblem(call, sent.fault, job);
  const accepted = await acceptedInTime(call, entity, refusal.signal);
  if (!accepted.ok) return faultProblem(call, accepted.fault, job);
  const turnedAway = refusal.fault();
  if (accepted.value === undefined && turnedAway !== undefined) return faultProblem(call, turnedAway);
  if (accepted.value !== undefined) return answerOf(call, accepted.value, job, print);
  return problem(call, {
    status: 503,
    code: 'unanswered',
    title: 'It was not accepted in time, and may still be',
    retryAfterS: 1,
    job,
  });
};

/** Made of the first entry alone, so that every repeat gets the same. */
const answerOf = (call: ApiCall, state: JobState, job: JobId, print: Digest): Response => {
  if (state.print !== print)
    return problem(call, {
      status: 422,
      code: 'key_reused',
      title: 'This Idempotency-Key was used for another request',
      job,
    });
  // The manager knew less than the door: what a pool no longer offers is refused there.
  if (state.fault !== undefined)
    return problem(call, {
      status: 400,
      code: 'invalid_job',
      title: 'The job cannot be run',
      detail: state.fault.detail,
      job,
    });
  const self = `/v1/jobs/${job}`;
  return jsonAnswer<Accepted>(
    { id: job, status: state.status ?? 'queued', links: { self, events: `${self}/events` } },
    { status: 202, headers: { location: self } },
  );
};
