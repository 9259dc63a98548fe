import {
  cut,
  type Envelope,
  type Fault,
  fault,
  firstIssue,
  type Instant,
  type Json,
  type Key,
  limits,
  MemoryQuery,
  MemoryWrite,
  type Outcome,
  PoolName,
  positionOf,
  type RepliedCall,
} from '@foldmesh/envelope';
import { Agent, answerTool, memoryWrite, type RunTool } from './agent.ts';
import type { AskedCall, CallAnswer, RunEvent } from './events.ts';
import { runMoves } from './evolve.ts';
import { type GroupCall, type RunState, runEnded } from './state.ts';

/** What a run is begun with: its definition, and its tools as the mesh offers them. */
export interface Agents {
  find(name: string): Agent | undefined;
  tool(name: string): RunTool | undefined;
}

/**
 * A run begins once; an attempt that is newer than its own opens again what failed or was stopped. One that never asked
 * a model has nothing to keep, and begins anew with what this worker has.
 */
export const onTaskAssign = (
  state: RunState,
  envelope: Envelope<'task.assign'>,
  at: Instant,
  agents: Agents,
): readonly RunEvent[] => {
  const [part] = envelope.payload.tasks;
  if (part === undefined) return [];
  // It was told to stop before it had begun: the cancel overtook the assignment, and the job waits for nothing any more.
  if (state.started === undefined && runEnded(state.status)) return [];
  if (state.started !== undefined) {
    const opens = runMoves[state.status].includes('idle') && runEnded(state.status);
    if (!opens || envelope.attempt <= state.attempt) return [];
    if (state.turns > 0) return [{ kind: 'run-reopened', v: 1, attempt: envelope.attempt, at }];
  }
  const agent = agents.find(part.run.name);
  const begun = {
    kind: 'run-started',
    v: 1,
    key: part.key,
    attempt: envelope.attempt,
    pool: poolOf(envelope),
    trace_id: envelope.trace_id,
    part,
    bind: envelope.payload.bind ?? {},
    at,
  } as const;
  if (agent === undefined) {
    const why = fault('unavailable', `this worker has no agent ${part.run.name}`, {
      source: 'definitions',
      retry_after_ms: 3_000,
    });
    return [
      { ...begun, agent: unknownAgent(part.run.name), tools: [] },
      { kind: 'run-failed', v: 1, end_reason: 'failed', fault: why, at },
    ];
  }
  const tools = agent.tools.map((name) => agents.tool(name));
  const missing = agent.tools.filter((_, index) => tools[index] === undefined);
  const own: RunTool[] = agent.answer === undefined ? [] : [{ name: answerTool, by: 'run', terminal: true }];
  const startedEvent: RunEvent = {
    ...begun,
    agent,
    tools: [...tools.filter((tool) => tool !== undefined), ...own],
  };
  if (missing.length === 0) return [startedEvent];
  const why = fault('invalid', `agent ${agent.name} needs tools that nobody offers: ${missing.join(', ')}`);
  return [startedEvent, { kind: 'run-failed', v: 1, end_reason: 'invalid', fault: why, at }];
};

const poolOf = ({ receiver }: Envelope<'task.assign'>): PoolName =>
  PoolName.parse(receiver.split('.').slice(1).join('.'));

/** What stands in the journal of a run whose agent is not here: it fails, and another attempt may find a worker that has it. */
const unknownAgent = (name: string): Agent =>
  Agent.parse({ name, instructions: '(unknown)', model: '(unknown)' });

/** Only the reply that is waited for counts: of two for one question the first. */
export const onModelSettle = (
  state: RunState,
  envelope: Envelope<'model.settle'>,
  at: Instant,
): readonly RunEvent[] => {
  const { step } = positionOf(envelope.idempotency_key);
  if (
    state.status !== 'model_calling' ||
    state.asked?.step !== Number(step) ||
    envelope.attempt !== state.attempt
  )
    return [];
  const { payload } = envelope;
  if (payload.kind === 'failed') return [failedRun(payload.fault, at)];
  if (payload.kind === 'cancelled') return [{ kind: 'run-cancelled', v: 1, at }];
  const { reply } = payload;
  const calls = reply.calls.map((call) => askedCall(state, call));
  const replied: RunEvent = {
    kind: 'model-replied',
    v: 1,
    text: reply.text,
    calls,
    ...(reply.reasoning !== undefined && { reasoning: reply.reasoning }),
    ...(reply.usage !== undefined && { usage: reply.usage }),
    at,
  };
  const answered = reply.calls.find(
    (call, index) =>
      call.answer !== undefined && calls[index]?.problem === undefined && isTerminal(state, call.name),
  );
  const answer =
    answered?.answer ??
    (calls.length === 0 && state.started?.has_answer === false ? reply.answer : undefined);
  if (answer === undefined) return [replied];
  const probed = answered?.probed ?? reply.probed;
  return [replied, { kind: 'run-completed', v: 1, answer, ...(probed !== undefined && { probed }), at }];
};

const isTerminal = (state: RunState, name: string): boolean => toolOf(state, name)?.terminal === true;

const toolOf = (state: RunState, name: string): RunTool | undefined =>
  state.started?.tools.find((tool) => tool.name === name);

/** A name that this agent may not call executes nothing and is answered like one that does not exist, whatever it resembles. */
const askedCall = (state: RunState, { name, input, problem, answer }: RepliedCall): AskedCall => {
  const tool = toolOf(state, name);
  if (tool === undefined) {
    const known = state.started?.tools.map((one) => one.name).join(', ') ?? '';
    return {
      name: cut(name, nameBytesShown),
      input,
      by: 'run',
      problem: `there is no tool of this name; you may call: ${known || 'none'}${problem ? `; ${problem}` : ''}`,
    };
  }
  const wrong =
    problem ??
    (tool.by === 'memory' ? wrongMemory(name, input) : undefined) ??
    (tool.terminal && answer === undefined ? 'it cannot be taken as an answer; give it again' : undefined);
  return { name, input, by: tool.by, ...(wrong !== undefined && { problem: wrong }) };
};

/** Memory's calls are envelopes of their own type: what does not fit one cannot be sent, so the model hears why at once. */
const wrongMemory = (name: string, input: Json): string | undefined => {
  const parsed = (name === memoryWrite ? MemoryWrite : MemoryQuery).safeParse(input);
  if (parsed.success) return undefined;
  return cut(`${name} cannot be called like this: ${firstIssue(parsed.error)}`, limits.faultDetailBytesMax);
};

const nameBytesShown = 100;

const failedRun = (why: Fault, at: Instant): RunEvent => ({
  kind: 'run-failed',
  v: 1,
  end_reason: why.kind === 'refused' || why.kind === 'invalid' ? why.kind : 'failed',
  fault: why,
  at,
});

/** One result each, the first that comes; siblings keep theirs. */
export const onCallSettle = (
  state: RunState,
  envelope: Envelope<'tool.settle' | 'memory.settle'>,
  at: Instant,
): readonly RunEvent[] => {
  const found = openCall(state, envelope.idempotency_key);
  if (found === undefined || found.call.status !== 'sent') return [];
  const { outcome } = envelope.payload;
  const call = found.index;
  if (outcome.kind === 'paused')
    return [
      {
        kind: 'call-paused',
        v: 1,
        call,
        question: outcome.question,
        ...(outcome.schema !== undefined && { schema: outcome.schema }),
        at,
      },
    ];
  return [{ kind: 'call-returned', v: 1, call, answer: answerOf(outcome), at }];
};

const answerOf = (outcome: Exclude<Outcome, { kind: 'paused' }>): CallAnswer => {
  switch (outcome.kind) {
    case 'done':
      return { kind: 'output', output: outcome.output };
    case 'failed':
      return { kind: 'fault', fault: outcome.fault };
    case 'unknown':
      return { kind: 'unknown', open: outcome.open };
    case 'cancelled':
      return { kind: 'fault', fault: fault('unanswered', 'the call was cancelled') };
  }
};

/** A person's answer is the result of the call that paused; a second one finds nothing that waits. */
export const onRunAnswer = (
  state: RunState,
  envelope: Envelope<'run.answer'>,
  at: Instant,
): readonly RunEvent[] => {
  const { value, by } = envelope.payload;
  const found = openCall(state, envelope.idempotency_key);
  return found?.call.status === 'paused'
    ? [{ kind: 'answer-given', v: 1, call: found.index, value, by, at }]
    : [];
};

/** Also before it has begun: the assignment may be on its way still, and nobody says this twice. */
export const onRunCancel = (state: RunState, at: Instant): readonly RunEvent[] =>
  runEnded(state.status) ? [] : [{ kind: 'run-cancelled', v: 1, at }];

const openCall = (
  state: RunState,
  key: Key,
): { readonly index: number; readonly call: GroupCall } | undefined => {
  const { step, call } = positionOf(key);
  const index = Number(call);
  const open = state.group?.step === Number(step) ? state.group.calls[index] : undefined;
  return open === undefined ? undefined : { index, call: open };
};
