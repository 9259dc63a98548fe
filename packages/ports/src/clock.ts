import type { Instant } from '@foldmesh/envelope';

/** Time as a service knows it: corrected wall clock, monotonic span, and waiting. */
export interface Clock {
  /** Milliseconds UTC, corrected by the dedup store's clock where there is one. */
  now(): Instant;
  /** Milliseconds that never go back; only differences mean anything. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. The caller looks at the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
