import { cut, type Instant, invariant } from '@foldmesh/envelope';
import type { RunEvent, RunEventOf } from './events.ts';
import { runLimits } from './run-limits.ts';
import { type GroupCall, type RunState, type RunStatus, runEnded } from './state.ts';

const saidBytesMax = 2_000;

/** One event into the state, in place. */
export const evolveRun = (state: RunState, event: RunEvent): RunState => {
  // A cancel may be there before the assignment.
  const first = event.kind === 'run-started' || event.kind === 'run-cancelled';
  invariant(first || state.started !== undefined, 'M1: a run starts first');
  apply(state, event);
  state.position += 1;
  return state;
};

/** The one written table. `idle` to `completed`: a turn that calls nothing may be the answer. */
export const runMoves: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  idle: ['model_calling', 'completed', 'failed', 'cancelled'],
  model_calling: ['idle', 'tool_calling', 'completed', 'failed', 'cancelled'],
  tool_calling: ['idle', 'waiting', 'completed', 'failed', 'cancelled'],
  waiting: ['tool_calling', 'idle', 'failed', 'cancelled'],
  completed: [],
  failed: ['idle'],
  cancelled: ['idle'],
};

/** Every transition is an event's, and is remembered with it. */
const move = (state: RunState, to: RunStatus, event: RunEvent): void => {
  if (state.status === to) return;
  invariant(runMoves[state.status].includes(to), `M4: a run cannot go from ${state.status} to ${to}`);
  const at: Instant = event.at;
  state.transitions.push({ from: state.status, to, by: event.kind, at });
  if (state.transitions.length > runLimits.transitionsMax) state.transitions.shift();
  state.status = to;
};

const apply = (state: RunState, event: RunEvent): void => {
  switch (event.kind) {
    case 'run-started':
      started(state, event);
      break;
    case 'run-reopened':
      invariant(runEnded(state.status), 'M1: what is opened again had ended');
      attempted(state, event);
      break;
    case 'model-asked':
      invariant(state.asked === undefined, 'M4: one question at a time');
      state.asked = { step: state.position, at: event.at };
      state.turns += 1;
      state.model_calls += 1;
      move(state, 'model_calling', event);
      break;
    case 'model-replied':
      replied(state, event);
      break;
    case 'calls-sent':
      state.tool_calls += event.calls.length;
      for (const index of event.calls)
        Object.assign(callAt(state, index, 'ready'), {
          status: 'sent',
          asked: state.position,
          asked_at: event.at,
        });
      break;
    case 'call-returned':
      returned(state, callAt(state, event.call, 'sent', 'ready'), event);
      break;
    case 'answer-given':
      returned(state, callAt(state, event.call, 'paused'), event);
      break;
    case 'call-paused': {
      const { question, schema, at } = event;
      Object.assign(callAt(state, event.call, 'sent'), {
        status: 'paused',
        question,
        asked: state.position,
        asked_at: at,
        ...(schema !== undefined && { schema }),
      });
      settleGroup(state, event);
      break;
    }
    case 'run-completed':
      ended(state, 'completed', event, {
        reason: 'goal',
        at: event.at,
        answer: event.answer,
        ...(event.probed !== undefined && { probed: event.probed }),
      });
      break;
    case 'run-failed':
      ended(state, 'failed', event, { reason: event.end_reason, at: event.at, fault: event.fault });
      break;
    case 'run-cancelled':
      ended(state, 'cancelled', event, { reason: 'cancelled', at: event.at });
      break;
  }
};

const started = (state: RunState, event: RunEventOf<'run-started'>): void => {
  invariant(state.started === undefined || runEnded(state.status), 'M1: a run starts once');
  const { key, pool, trace_id, agent, tools } = event;
  const { turns, parallel, group_ms } = agent.limits;
  state.started = {
    key,
    pool,
    trace_id,
    agent: agent.name,
    has_answer: agent.answer !== undefined,
    turns,
    parallel,
    group_ms,
    tools,
  };
  attempted(state, event);
};

/** Each attempt has a settle of its own, whose usage the job adds up: it counts from nothing (M5). */
const attempted = (state: RunState, event: RunEventOf<'run-started' | 'run-reopened'>): void => {
  state.attempt = event.attempt;
  state.started_at = event.at;
  state.turns = 0;
  state.empty = 0;
  state.model_calls = 0;
  state.tool_calls = 0;
  delete state.end;
  move(state, 'idle', event);
};

const replied = (state: RunState, event: RunEventOf<'model-replied'>): void => {
  invariant(state.asked !== undefined, 'M2: a reply is to a question');
  delete state.asked;
  if (event.text.trim() !== '') state.said = cut(event.text, saidBytesMax);
  state.empty = event.calls.length === 0 && event.text.trim() === '' ? state.empty + 1 : 0;
  if (event.calls.length === 0) {
    move(state, 'idle', event);
    return;
  }
  const calls = event.calls.map(
    (call): GroupCall => ({ ...call, status: call.problem === undefined ? 'ready' : 'returned' }),
  );
  const left = calls.filter(({ status }) => status !== 'returned').length;
  state.group = { step: state.position, at: event.at, calls, left };
  move(state, 'tool_calling', event);
  settleGroup(state, event);
};

const callAt = (state: RunState, index: number, ...statuses: readonly GroupCall['status'][]): GroupCall => {
  const call = state.group?.calls[index];
  invariant(call !== undefined, `M4: no call ${index} is open`);
  invariant(statuses.includes(call.status), `M2: call ${index} is ${call.status}`);
  return call;
};

const returned = (state: RunState, call: GroupCall, event: RunEvent): void => {
  call.status = 'returned';
  if (state.group !== undefined) state.group.left -= 1;
  settleGroup(state, event);
};

/** With the last result the turn is over; when all that is left waits for people, so does the run. */
const settleGroup = (state: RunState, event: RunEvent): void => {
  const { group } = state;
  if (group === undefined) return;
  if (group.left === 0) {
    delete state.group;
    move(state, 'idle', event);
    return;
  }
  const waits = group.calls.every(({ status }) => status === 'paused' || status === 'returned');
  move(state, waits ? 'waiting' : 'tool_calling', event);
};

const ended = (state: RunState, to: RunStatus, event: RunEvent, end: NonNullable<RunState['end']>): void => {
  invariant(!runEnded(state.status), 'M1: a run ends once');
  delete state.asked;
  delete state.group;
  state.end = end;
  move(state, to, event);
};
