import { type Key, positionOf } from '@foldmesh/envelope';
import { type RunState, runEnded } from './state.ts';

/** What a run's journal says of a call made in its name: open, and which event asked, or no longer waited for. */
export const runStandingOf = (
  state: RunState,
  key: Key,
  attempt: number,
): { readonly kind: 'open'; readonly asked: number } | { readonly kind: 'answered' } => {
  const { step, call } = positionOf(key);
  const answered = { kind: 'answered' } as const;
  if (state.started === undefined || runEnded(state.status) || state.attempt !== attempt) return answered;
  if (state.asked?.step === Number(step)) return { kind: 'open', asked: state.asked.step };
  const open = state.group?.step === Number(step) ? state.group.calls[Number(call)] : undefined;
  return open?.status === 'sent' && open.asked !== undefined ? { kind: 'open', asked: open.asked } : answered;
};
