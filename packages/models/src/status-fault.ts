import { type Fault, type FaultKind, fault } from '@foldmesh/envelope';

/** What is waited when a provider does not say how long, milliseconds: the retry's own back-off then decides. */
const ownWaitMs = 0;

/** Unauthorised, payment, forbidden, legal reasons: asked again it would be the same, and only people can change it. */
const denied: readonly number[] = [401, 402, 403, 451];
/** Request timeout, conflict, too early: nothing is wrong with what was asked. */
const passing: readonly number[] = [408, 409, 425];

/**
 * What a provider's HTTP status of 400 or above means. It says later only of what may come out otherwise the next time;
 * all else would be paid and waited for in vain. `detail` is the provider's own words.
 */
export const statusFault = (
  model: string,
  status: number,
  {
    detail,
    retry_after_ms = ownWaitMs,
  }: { readonly detail?: string | undefined; readonly retry_after_ms?: number | undefined } = {},
): Fault => {
  const kind = kindOf(status);
  const later = kind === 'throttled' || kind === 'unavailable';
  return fault(kind, `the model ${model} answered ${status}${detail === undefined ? '' : `: ${detail}`}`, {
    source: 'model',
    ...(later && { retry_after_ms }),
  });
};

const kindOf = (status: number): FaultKind => {
  if (status === 429) return 'throttled';
  if (status >= 500 || passing.includes(status)) return 'unavailable';
  if (status === 413) return 'overflow';
  return denied.includes(status) ? 'refused' : 'invalid';
};
