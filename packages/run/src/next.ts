import {
  cut,
  type Draft,
  fault,
  invariant,
  keyOf,
  limits,
  MemoryQuery,
  MemoryWrite,
  type Outcome,
  PoolName,
  positionOf,
  shardOf,
  type TaskResult,
} from '@foldmesh/envelope';
import type { Effect } from '@foldmesh/ports';
import { memoryWrite } from './agent.ts';
import type { Group, GroupCall, RunState, Started } from './state.ts';

/** All that should be in flight and was asked by event `from` or later. An ended run says its result, again and again if asked. */
export function* nextOfRun(state: RunState, from = 0): Generator<Effect> {
  const { started, asked, group, end } = state;
  if (started === undefined) return;
  if (end !== undefined) {
    if (state.position - 1 >= from)
      yield { draft: settleOf(state, started), asked: state.position - 1, asked_at: end.at };
    return;
  }
  if (asked !== undefined && asked.step >= from)
    yield { draft: modelCall(state, started, asked.step, asked.at), asked: asked.step, asked_at: asked.at };
  for (const [index, call] of (group?.calls ?? []).entries()) {
    if (group === undefined || call.asked === undefined || call.asked_at === undefined || call.asked < from)
      continue;
    if (call.status === 'sent')
      yield {
        draft: sentCall(state, started, group, call, index),
        asked: call.asked,
        asked_at: call.asked_at,
      };
    if (call.status === 'paused')
      yield { draft: askOf(state, started, group, call, index), asked: call.asked, asked_at: call.asked_at };
  }
}

const keyAt = ({ key }: Started, step: number, call: number) => {
  const { tenant, job, task, round } = positionOf(key);
  return keyOf({ tenant, job, task, round, step: String(step), call: String(call) });
};

/** Names the run and the position, never the history: who asks the model reads the journal. */
const modelCall = (state: RunState, started: Started, step: number, at: number): Draft => ({
  type: 'model.call',
  to: { service: 'worker', pool: started.pool },
  key: keyAt(started, step, 0),
  attempt: state.attempt,
  payload: { agent: started.agent },
  deadline: at + limits.requestMs,
});

const sentCall = (state: RunState, started: Started, group: Group, call: GroupCall, index: number): Draft => {
  const asked = {
    key: keyAt(started, group.step, index),
    attempt: state.attempt,
    deadline: group.at + started.group_ms,
  } as const;
  if (call.by === 'gateway')
    return {
      ...asked,
      type: 'tool.call',
      to: {
        service: 'tool-gateway',
        pool: started.tools.find(({ name }) => name === call.name)?.pool ?? defaultPool,
      },
      payload: { tool: call.name, input: call.input },
    };
  invariant(call.by === 'memory', 'M4: a call that the run itself answers is not sent');
  const to = { service: 'memory', pool: defaultPool } as const;
  // What does not parse was told back to the model when it asked.
  return call.name === memoryWrite
    ? { ...asked, type: memoryWrite, to, payload: MemoryWrite.parse(call.input) }
    : { ...asked, type: 'memory.query', to, payload: MemoryQuery.parse(call.input) };
};

const defaultPool = PoolName.parse('default');

const askOf = (state: RunState, started: Started, group: Group, call: GroupCall, index: number): Draft => ({
  type: 'input.ask',
  to: { service: 'manager', pool: shardOf(positionOf(started.key).job) },
  key: keyAt(started, group.step, index),
  attempt: state.attempt,
  payload: {
    task: started.key,
    question: call.question ?? '',
    ...(call.schema !== undefined && { schema: call.schema }),
  },
});

const settleOf = (state: RunState, started: Started): Draft => {
  const { end } = state;
  invariant(end !== undefined, 'M1: a settle needs an end');
  const result: TaskResult = {
    key: started.key,
    attempt: state.attempt,
    outcome: outcomeOf(state, end),
    worker: started.agent,
    started_at: state.started_at,
    ended_at: Math.max(state.started_at, end.at),
    usage: { tool_calls: state.tool_calls, model_calls: state.model_calls },
    ...(end.probed !== undefined && { probed: [...end.probed] }),
  };
  return {
    type: 'task.settle',
    to: { service: 'manager', pool: shardOf(positionOf(started.key).job) },
    key: started.key,
    attempt: state.attempt,
    payload: { results: [result] },
  };
};

const outcomeOf = (state: RunState, { answer, reason }: NonNullable<RunState['end']>): Outcome => {
  if (answer !== undefined) return { kind: 'done', output: answer };
  return reason === 'cancelled' ? { kind: 'cancelled' } : { kind: 'failed', fault: failureOf(state) };
};

/** Why it failed and where, then what it had said; the kind stands beside it, and the way there in the journal. */
const failureOf = ({ end, said, turns, started }: RunState) => {
  const why = end?.fault ?? fault('refused', end?.reason ?? 'failed');
  const where = turns === 0 ? '' : `agent ${started?.agent}, turn ${turns}: `;
  const last = cut(said.trim().replace(/\s+/g, ' '), saidBytesShown);
  return {
    ...why,
    detail: `${where}${cut(why.detail, causeBytesShown)}${last === '' ? '' : `; it had last said: ${last}`}`,
    source: 'agent',
  };
};

/** Shares of a detail of 4 KiB; where it happened, an agent's name at most, takes a little. */
const causeBytesShown = 2_400;
const saidBytesShown = 1_000;
