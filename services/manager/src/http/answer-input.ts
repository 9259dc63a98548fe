import { canonicalJson, isJsonObject, type Json, json } from '@foldmesh/envelope';
import type { JobState, Problem } from '@foldmesh/job';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { z } from 'zod';
import type { ApiCall } from './api-call.ts';
import { type Known, knownJob, stateWhen } from './job-state.ts';
import { faultProblem, notFound, problem, withLines } from './problem.ts';
import { readFields } from './read-body.ts';
import { commandIdOf, sendCommand } from './send-command.ts';
import { newTrace } from './trace-of.ts';

const Answer = z.strictObject({ value: json });

/** Who answers, as long as callers have no names. */
const by = 'api';

/** Hands a person's answer to the run that asked, and says so when the job has taken it down. */
export const answerInput = async (call: ApiCall): Promise<Response> => {
  const known = await knownJob(call);
  if (known instanceof Response) return known;
  const request = call.param('request');
  const { state } = known.loaded;
  const ask = askOf(state, request);
  if (ask === undefined) return notFound(call, 'request');
  if (ask.answer !== undefined) return alreadyAnswered(call);
  if (state.stopping !== undefined || state.ended_at !== undefined) return noLongerAsked(call);
  const read = await readFields(call, Answer);
  if (read instanceof Response) return read;
  const { value } = read.fields;
  const problems = await problemsOf(call, value, ask.schema);
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
      return Response.json(
        { request, links: { job: `/v1/jobs/${entity.job}` } },
        { status: 202, headers: { 'cache-control': 'no-store' } },
      );
    case 'other':
      return alreadyAnswered(call);
    case 'over':
      return noLongerAsked(call);
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

const askOf = (state: JobState, request: string): JobState['asks'][number] | undefined =>
  state.asks.find((ask) => ask.request === request);

/** Of two answers at once the first stands; equal ones are one. */
const outcomeOf = (state: JobState, request: string, value: Json): 'taken' | 'other' | 'over' | undefined => {
  const ask = askOf(state, request);
  if (ask?.answer !== undefined)
    return canonicalJson(ask.answer.value) === canonicalJson(value) ? 'taken' : 'other';
  return ask === undefined || state.stopping !== undefined || state.ended_at !== undefined
    ? 'over'
    : undefined;
};

const alreadyAnswered = (call: ApiCall): Response =>
  problem(call, { status: 409, code: 'already_answered', title: 'This request has been answered' });

const noLongerAsked = (call: ApiCall): Response =>
  problem(call, { status: 409, code: 'no_longer_asked', title: 'The job no longer waits for this answer' });

/** All that is wrong with an answer by the JSON Schema that came with the question. */
const problemsOf = async (
  { ports }: ApiCall,
  value: Json,
  schema: Json | undefined,
): Promise<readonly Problem[]> => {
  if (!isJsonObject(schema)) return [];
  const valid = compiled(schema);
  if (typeof valid === 'string') {
    // The run itself judges what it gets; a question with a broken schema must not be unanswerable.
    ports.log('warn', 'a request has a schema that cannot be used', { detail: valid });
    return [];
  }
  return valid(value) ? [] : (valid.errors ?? []).map(complaintOf);
};

const compiled = (schema: object) => {
  try {
    return new Ajv2020({ allErrors: true, strict: false, logger: false }).compile(schema);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

const complaintOf = ({ instancePath, message = 'is invalid', params }: ErrorObject): Problem => {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const allowed: unknown = params['allowedValues'] ?? params['additionalProperty'];
  return {
    path: ['value', ...path],
    message: allowed === undefined ? message : `${message}: ${JSON.stringify(allowed)}`,
  };
};
