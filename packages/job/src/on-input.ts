import { type Envelope, type Instant, positionOf } from '@foldmesh/envelope';
import type { JobEvent } from './events.ts';
import type { JobState } from './state.ts';
import { taskAt, taskWithKey } from './tasks.ts';

/** A run asks once for each of its calls; one whose task is no longer out asks in vain. */
export const onInputAsk = (
  state: JobState,
  envelope: Envelope<'input.ask'>,
  at: Instant,
): readonly JobEvent[] => {
  const { task: taskKey, question, schema } = envelope.payload;
  const key = envelope.idempotency_key;
  const task = taskWithKey(state, taskKey);
  if (task === undefined || state.stopping !== undefined || state.asks.some((ask) => ask.key === key))
    return [];
  const { status, held, attempt } = taskAt(state, task);
  if (status !== 'running' || held === undefined || attempt !== envelope.attempt) return [];
  const { task: id, step, call } = positionOf(key);
  const request = `${id}.${step}.${call}`;
  return [
    { kind: 'input-asked', v: 1, task, key, request, question, ...(schema !== undefined && { schema }), at },
  ];
};

/** The first answer stands. */
export const onInputAnswer = (
  state: JobState,
  { payload }: Envelope<'run.answer'>,
  at: Instant,
): readonly JobEvent[] => {
  const ask = state.asks.find(({ request }) => request === payload.request);
  if (ask === undefined || ask.answer !== undefined || state.stopping !== undefined) return [];
  return [
    { kind: 'input-answered', v: 1, request: payload.request, value: payload.value, by: payload.by, at },
  ];
};
