import { type Instant, invariant } from '@foldmesh/envelope';
import type { EventOf } from './events.ts';
import type { JobState } from './state.ts';

export const asked = (state: JobState, event: EventOf<'input-asked'>): JobState => {
  const { request, task, key, question, schema, at } = event;
  state.asks.push({ request, task, key, question, at, ...(schema !== undefined && { schema }) });
  state.asking_since ??= at;
  return state;
};

export const answered = (state: JobState, event: EventOf<'input-answered'>): JobState => {
  const ask = state.asks.find(({ request }) => request === event.request);
  invariant(
    ask !== undefined && ask.answer === undefined,
    `M2: the request ${event.request} is answered once`,
  );
  ask.answer = { step: state.position, at: event.at, value: event.value, by: event.by };
  stopWaiting(state, event.at);
  return state;
};

/** A task that has ended asks nothing more. */
export const forgetAsks = (state: JobState, task: number, at: Instant): void => {
  if (!state.asks.some((ask) => ask.task === task)) return;
  state.asks = state.asks.filter((ask) => ask.task !== task);
  stopWaiting(state, at);
};

/** What was spent waiting for people is not the job's: its deadline moves by as much. */
const stopWaiting = (state: JobState, at: Instant): void => {
  if (state.asking_since === undefined || state.asks.some(({ answer }) => answer === undefined)) return;
  state.deadline += Math.max(0, at - state.asking_since);
  delete state.asking_since;
};
