import { fault, type Instant } from '@foldmesh/envelope';
import type { RunEvent } from './events.ts';
import { runLimits } from './run-limits.ts';
import { type RunState, runEnded } from './state.ts';

/** What a run owes by its state and the clock: the next question to the model, the next calls of a group, an end. */
export const followRun = (state: RunState, at: Instant): readonly RunEvent[] => {
  if (state.started === undefined || runEnded(state.status)) return [];
  if (state.status === 'idle') return [nextTurn(state, at)];
  return state.group === undefined ? [] : firstOf(late(state, at), sendable(state, at));
};

const nextTurn = (state: RunState, at: Instant): RunEvent => {
  const turnsMax = state.started?.turns ?? 0;
  const end = (end_reason: 'empty' | 'turn_limit', detail: string): RunEvent => ({
    kind: 'run-failed',
    v: 1,
    end_reason,
    fault: fault('refused', detail),
    at,
  });
  if (state.empty > runLimits.emptyTurnsMax)
    return end('empty', `the model said nothing in ${state.empty} turns in a row`);
  if (state.turns >= turnsMax) return end('turn_limit', `no answer within ${turnsMax} turns`);
  return { kind: 'model-asked', v: 1, turn: state.turns, at };
};

/** As many calls as the agent's width allows, in the order in which the model asked. */
const sendable = (state: RunState, at: Instant): readonly RunEvent[] => {
  const calls = state.group?.calls ?? [];
  const room = (state.started?.parallel ?? 1) - calls.filter(({ status }) => status === 'sent').length;
  const ready = calls
    .flatMap(({ status }, index) => (status === 'ready' ? [index] : []))
    .slice(0, Math.max(0, room));
  return ready.length > 0 ? [{ kind: 'calls-sent', v: 1, calls: ready, at }] : [];
};

/** The group's own deadline: who has not answered by then gets an answer that says so. What waits for a person does not count. */
const late = (state: RunState, at: Instant): readonly RunEvent[] => {
  const due = groupDueAt(state);
  if (due === undefined || at < due) return [];
  const within = `within ${state.started?.group_ms} ms`;
  return (state.group?.calls ?? []).flatMap(({ status, by }, call): RunEvent[] => {
    if (status !== 'sent' && status !== 'ready') return [];
    const why =
      status === 'sent'
        ? fault('unanswered', `no answer from ${by} ${within}`)
        : fault('unavailable', `not begun ${within}: nothing has happened`);
    return [{ kind: 'call-returned', v: 1, call, answer: { kind: 'fault', fault: why }, at }];
  });
};

/** When time alone makes a run owe something. */
export const groupDueAt = (state: RunState): Instant | undefined => {
  const { group, started } = state;
  if (group === undefined || started === undefined) return undefined;
  return group.calls.some(({ status }) => status === 'sent' || status === 'ready')
    ? group.at + started.group_ms
    : undefined;
};

const firstOf = (one: readonly RunEvent[], other: readonly RunEvent[]): readonly RunEvent[] =>
  one.length > 0 ? one : other;
