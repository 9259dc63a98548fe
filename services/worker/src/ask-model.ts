import {
  type Carried,
  cut,
  type Draft,
  type Envelope,
  encodeJson,
  fail,
  fault,
  type Json,
  limits,
  type Outcome,
  ok,
  type PoolName,
  positionOf,
  type RepliedCall,
  Reply,
  type Result,
} from '@foldmesh/envelope';
import type { Model, ModelReply } from '@foldmesh/ports';
import { type Agent, answerTool, type RunEventOf } from '@foldmesh/run';
import {
  type Answering,
  type Call,
  callerStanding,
  chain,
  type Host,
  logCall,
  oneCall,
  type Ran,
  retry,
  timeout,
  traceCall,
  type Values,
} from '@foldmesh/runtime';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Asked, modelRequest } from './model-request.ts';
import type { ReadRuns } from './run-events.ts';
import { probe } from './task-input.ts';
import type { ToolShelf } from './tool-shelf.ts';

/** How long one try at a model may take, milliseconds. */
const tryMs = 5 * 60_000;

/**
 * Answers `model.call`: outermost first log, trace, retry, one timeout per try, the model. The reply is stored under the
 * call's key, so a run that crashes after it asks the model no second time.
 */
export const modelCalls = (
  host: Host,
  model: Model,
  values: Values,
  shelf: ToolShelf,
  pool: PoolName,
): Answering<'model.call'> => {
  const { clock, random, log } = host.ports;
  // The runs of a pool ask the workers of that pool.
  const to = { service: 'worker', pool } as const;
  const kept: ReadRuns = new Map();
  const name = ({ request }: Asked): string => `chat ${request.model}`;
  const ask = chain<Asked, ModelReply>(
    [
      logCall(log, clock, name),
      traceCall(name, ({ request }) => ({
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': request.model,
      })),
      retry(clock, random),
      timeout(
        clock,
        () => tryMs,
        () => true,
        host.settings.abortGraceMs,
      ),
    ],
    ({ request }, call) => model.reply(request, call.signal),
  );
  return {
    type: 'model.call',
    work: oneCall<'model.call'>({
      unsafe: () => false,
      label: ({ payload, idempotency_key }) => `model of ${payload.agent} at ${idempotency_key}`,
      // The decider reads the calls in it: it travels whole.
      inlineBytesMax: limits.bodyBytesMax,
      run: (envelope, call) => answered(host, values, shelf, ask, envelope, call, kept),
      settle: ({ idempotency_key: key, attempt }, outcome) => ({
        type: 'model.settle',
        to,
        key,
        attempt,
        payload: settledBy(outcome),
      }),
      standing: callerStanding,
    }),
    refusal: ({ key, attempt }, why) =>
      ok({ type: 'model.settle', to, key, attempt, payload: { kind: 'failed', fault: why } }),
  };
};

const answered = async (
  host: Host,
  values: Values,
  shelf: ToolShelf,
  ask: (asked: Asked, call: Call) => Promise<Result<ModelReply>>,
  { idempotency_key }: Envelope<'model.call'>,
  call: Call,
  kept: ReadRuns,
): Promise<Ran> => {
  const asked = await modelRequest(host, values, shelf, idempotency_key, kept);
  if (!asked.ok) return { kind: 'failed', fault: asked.fault };
  const replied = await ask(asked.value, call);
  if (!replied.ok) return { kind: 'failed', fault: replied.fault };
  const reply = await checkedReply(host, asked.value.started, replied.value);
  return reply.ok ? { kind: 'done', output: reply.value as Json } : { kind: 'failed', fault: reply.fault }; // a reply has a schema of JSON
};

/** What the model said, its answer checked against the shape it was asked for and put where a result lies. */
const checkedReply = async (
  host: Host,
  started: RunEventOf<'run-started'>,
  said: ModelReply,
): Promise<Result<Reply>> => {
  const calls: RepliedCall[] = [];
  for (const call of said.calls.slice(0, callsMax)) {
    const checked = await checkedCall(host, started, call);
    if (!checked.ok) return checked;
    calls.push(checked.value);
  }
  const { text, reasoning, usage } = said;
  const final =
    calls.length === 0 && started.agent.answer === undefined && text.trim() !== ''
      ? await place(host, started, text)
      : ok(undefined);
  if (!final.ok) return final;
  return ok({ text, calls, usage, ...(reasoning !== undefined && { reasoning }), ...final.value });
};

const callsMax = 128;

const checkedCall = async (
  host: Host,
  started: RunEventOf<'run-started'>,
  { name, input, problem }: ModelReply['calls'][number],
): Promise<Result<RepliedCall>> => {
  if (problem !== undefined) return ok({ name, input, problem: cut(problem, limits.faultDetailBytesMax) });
  const terminal = started.tools.find((tool) => tool.name === name)?.terminal === true;
  if (!terminal) return ok({ name, input });
  const wrong = name === answerTool ? wrongAnswer(started.agent, input) : ok(undefined);
  if (!wrong.ok) return wrong;
  if (wrong.value !== undefined) return ok({ name, input, problem: wrong.value });
  const placed = await place(host, started, input);
  return placed.ok ? ok({ name, input, ...placed.value }) : placed;
};

/** What keeps an answer from being what was asked for, in words that help to write it again. */
const wrongAnswer = (agent: Agent, answer: Json): Result<string | undefined> => {
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false });
  const valid = compiled(ajv, agent);
  if (!valid.ok) return valid;
  if (valid.value(answer)) return ok(undefined);
  const errors = ajv.errorsText(valid.value.errors, { dataVar: 'answer' });
  return ok(
    cut(`the answer does not have the shape that was asked for: ${errors}`, limits.faultDetailBytesMax),
  );
};

/** What no validator can read is its author's to mend; the model could answer for ever. */
const compiled = (ajv: Ajv2020, { name, answer = {} }: Agent): Result<ValidateFunction> => {
  try {
    // `$async` would make a promise of every verdict.
    return ok(ajv.compile({ ...answer, $async: false }));
  } catch (error) {
    return fail(
      fault('invalid', `the schema of the answer of agent ${name} cannot be used: ${String(error)}`),
    );
  }
};

/** Where a task's result goes: with the message if it is small, else to the blob store; and what others will need of it. */
const place = async (
  { ports }: Host,
  { part, key }: RunEventOf<'run-started'>,
  answer: Json,
): Promise<Result<{ answer: Carried; probed?: ReturnType<typeof probe> }>> => {
  const bytes = encodeJson(answer);
  const { tenant, job } = positionOf(key);
  const put =
    bytes.length <= limits.resultBytesInlineMax ? undefined : await ports.blobs.put(tenant, job, bytes);
  if (put?.ok === false) return fail(put.fault);
  return ok({
    answer: put === undefined ? { value: answer } : { ref: put.value },
    ...(part.probes !== undefined && { probed: probe(answer, part.probes) }),
  });
};

const settledBy = (outcome: Outcome): Extract<Draft, { type: 'model.settle' }>['payload'] => {
  if (outcome.kind === 'cancelled') return { kind: 'cancelled' };
  if (outcome.kind === 'failed') return { kind: 'failed', fault: outcome.fault };
  const reply =
    outcome.kind === 'done' && 'value' in outcome.output
      ? Reply.safeParse(outcome.output.value).data
      : undefined;
  return reply === undefined
    ? { kind: 'failed', fault: fault('invalid', 'the reply of the model cannot be read') }
    : { kind: 'done', reply };
};
