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
  believed,
  type Call,
  callerStanding,
  type Host,
  oneCall,
  type Ran,
  type Values,
} from '@foldmesh/runtime';
import { workInTime } from '@foldmesh/system';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { laterFault } from './later-fault.ts';
import { logRefused } from './log-refused.ts';
import { type AskModel, modelChain } from './model-chain.ts';
import { modelRequest } from './model-request.ts';
import type { ReadRuns } from './run-events.ts';
import { probe } from './task-input.ts';
import type { ToolShelf } from './tool-shelf.ts';

/**
 * Answers `model.call`. The reply is stored under the call's key, so a run that crashes after it asks the model no second
 * time.
 */
export const modelCalls = (
  host: Host,
  model: Model,
  values: Values,
  shelf: ToolShelf,
  pool: PoolName,
): Answering<'model.call'> => {
  // The runs of a pool ask the workers of that pool.
  const to = { service: 'worker', pool } as const;
  const kept: ReadRuns = new Map();
  const ask = modelChain(host, model);
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
  ask: AskModel,
  { idempotency_key }: Envelope<'model.call'>,
  call: Call,
  kept: ReadRuns,
): Promise<Ran> => {
  const asked = await modelRequest(host, values, shelf, idempotency_key, kept);
  if (!asked.ok)
    return { kind: 'failed', fault: laterFault(believed(asked.fault, call.since, host.ports.clock.now())) };
  const replied = await ask(asked.value, call);
  if (!replied.ok) return replied.ran;
  const { started } = asked.value;
  const reply = await checkedReply(host, started, replied.value);
  if (reply.ok) logRefused(host.ports.log, shelf, started, idempotency_key, reply.value.calls);
  return reply.ok ? { kind: 'done', output: reply.value as Json } : { kind: 'failed', fault: reply.fault }; // a reply has a schema of JSON
};

/** What the model said, its answer checked against the shape it was asked for and put where a result lies. */
const checkedReply = async (
  host: Host,
  started: RunEventOf<'run-started'>,
  said: ModelReply,
): Promise<Result<Reply>> => {
  const calls: RepliedCall[] = [];
  for (const call of callsThatFit(said.calls)) {
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

/** Of more calls than a turn may hold the last that fits says so in place of the rest. */
const callsThatFit = (calls: ModelReply['calls']): ModelReply['calls'] => {
  const over = calls.length - limits.turnCallsMax;
  const last = calls[limits.turnCallsMax - 1];
  if (over <= 0 || last === undefined) return calls;
  const problem = `a turn may hold ${limits.turnCallsMax} calls: this one and ${over} more were not made`;
  return [...calls.slice(0, limits.turnCallsMax - 1), { ...last, problem }];
};

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
  const errors = errorsOf(agent, answer);
  if (!errors.ok || errors.value === undefined) return errors;
  return ok(
    cut(`the answer does not have the shape that was asked for: ${errors.value}`, limits.faultDetailBytesMax),
  );
};

/** How long a schema may take over one answer: a pattern in it can try for centuries. Milliseconds of computing. */
const judgeMs = 1_000;

/** What no validator can read is its author's to mend; the model could answer for ever. */
const errorsOf = ({ answer: schema = {} }: Agent, answer: Json): Result<string | undefined> => {
  try {
    return ok(
      workInTime(() => {
        const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false });
        // `$async` would make a promise of every verdict.
        const valid = ajv.compile({ ...schema, $async: false });
        return valid(answer) ? undefined : ajv.errorsText(valid.errors, { dataVar: 'answer' });
      }, judgeMs),
    );
  } catch (error) {
    return fail(fault('invalid', `the schema of its answer cannot be used: ${String(error)}`));
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
