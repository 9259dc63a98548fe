import { InputAnswer, type InputReceipt } from '@foldmesh/client';
import { canonicalJson, type Json, ok } from '@foldmesh/envelope';
import type { JobState, Problem } from '@foldmesh/job';
import type { ApiCall } from './api-call.ts';
import { type Known, knownJob, stateWhen } from './job-state.ts';
import { jsonAnswer } from './json-answer.ts';
import { judgeAnswer } from './judge-answer.ts';
import { type PastAsk, pastAsk } from './past-ask.ts';
import { faultProblem, notFound, problem, withLines } from './problem.ts';
import { readFields } from './read-body.ts';
import { commandIdOf, sendCommand } from './send-command.ts';
import { newTrace } from './trace-of.ts';

/** Who answers, as long as callers have no names. */
const by = 'api';

/** Hands a person's answer to the run that asked, and says so when the job has taken it down. */
export const answerInput = async (call: ApiCall): Promise<Response> => {
  const known = await knownJob(call);
  if (known instanceof Response) return known;
  const request = call.param('request');
  const { state } = known.loaded;
  const ask = askOf(state, request);
  const asked: Awaited<ReturnType<typeof pastAsk>> =
    ask === undefined ? await pastAsk(call, known.entity, request) : ok(ask);
  if (!asked.ok) return faultProblem(call, asked.fault, known.entity.job);
  if (asked.value === undefined) return notFound(call, 'request');
  const read = await readFields(call, InputAnswer);
  if (read instanceof Response) return read;
  const { value } = read.fields;
  const { answer } = asked.value;
  if (ask === undefined || answer !== undefined || isOver(state))
    return afterwards(call, known, { request, value, answer });
  const problems = problemsOf(call, value, ask.schema);
  if (problems.length > 0)
    return problem(call, {
      status: 400,
      code: 'invalid_answer',
      title: 'The answer does not have the shape that was asked for',
      errors: withLines(problems, read.lineOf),
    });
  return publish(call, known, request, value);
};

const publish = async (
  call: ApiCall,
  { entity, loaded }: Known,
  request: string,
  value: Json,
): Promise<Response> => {
  const trace = newTrace(loaded.state.trace_id ?? call.trace_id, call.ports.random);
  const id = commandIdOf('run.answer', request, canonicalJson(value));
  const sent = await sendCommand(
    call,
    { type: 'run.answer', payload: { request, value, by } },
    { ...entity, ...trace, id },
  );
  if (!sent.ok) return faultProblem(call, sent.fault, entity.job);
  const seen = await stateWhen(call, entity, (state) => outcomeOf(state, request, value));
  if (!seen.ok) return faultProblem(call, seen.fault, entity.job);
  switch (seen.value) {
    case 'taken':
      return taken({ entity }, request);
    case 'other':
      return alreadyAnswered(call);
    case 'over': {
      // A run may be done with the answer before we look, and the state has forgotten both by then.
      const past = await pastAsk(call, entity, request);
      if (!past.ok) return faultProblem(call, past.fault, entity.job);
      return afterwards(call, { entity }, { request, value, answer: past.value?.answer });
    }
    case undefined:
      return problem(call, {
        status: 503,
        code: 'unanswered',
        title: 'It was not taken down in time, and may still be',
        retryAfterS: 1,
        job: entity.job,
      });
  }
};

/** Nothing can come of an answer any more: whoever did not hear that it was taken down sends it again. */
const afterwards = (
  call: ApiCall,
  { entity }: Pick<Known, 'entity'>,
  { request, value, answer }: { readonly request: string; readonly value: Json } & PastAsk,
): Response => {
  if (answer === undefined) return noLongerAsked(call);
  return isSame(answer.value, value) ? taken({ entity }, request) : alreadyAnswered(call);
};

const isOver = ({ stopping, ended_at }: JobState): boolean =>
  stopping !== undefined || ended_at !== undefined;

const taken = ({ entity }: Pick<Known, 'entity'>, request: string): Response =>
  jsonAnswer<InputReceipt>({ request, links: { job: `/v1/jobs/${entity.job}` } }, { status: 202 });

const isSame = (one: Json, other: Json): boolean => canonicalJson(one) === canonicalJson(other);

const askOf = (state: JobState, request: string): JobState['asks'][number] | undefined =>
  state.asks.find((ask) => ask.request === request);

/** Of two answers at once the first stands; equal ones are one. */
const outcomeOf = (state: JobState, request: string, value: Json): 'taken' | 'other' | 'over' | undefined => {
  const ask = askOf(state, request);
  if (ask?.answer !== undefined) return isSame(ask.answer.value, value) ? 'taken' : 'other';
  return ask === undefined || isOver(state) ? 'over' : undefined;
};

const alreadyAnswered = (call: ApiCall): Response =>
  problem(call, { status: 409, code: 'already_answered', title: 'This request has been answered' });

const noLongerAsked = (call: ApiCall): Response =>
  problem(call, { status: 409, code: 'no_longer_asked', title: 'The job no longer waits for this answer' });

/** All that is wrong with an answer by the JSON Schema that came with the question. */
const problemsOf = ({ ports }: ApiCall, value: Json, schema: Json | undefined): readonly Problem[] => {
  const judged = judgeAnswer(value, schema);
  if ('problems' in judged) return judged.problems;
  // The run itself judges what it gets; a question with a broken schema must not be unanswerable.
  ports.log('warn', 'a request has a schema that cannot be used', { detail: judged.unusable });
  return [];
};
