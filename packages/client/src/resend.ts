import { ApiError } from './api-error.ts';
import type { Surroundings } from './surroundings.ts';

/** The first wait where the answer names none, doubled each time. Milliseconds. */
const waitMs = 250;
const waitMsMax = 30_000;

/**
 * Does it again after a failure that may pass, for `forMs` at most: after what `Retry-After` says, else with full jitter.
 * The last failure is the caller's.
 */
export const resend = async <T>(
  work: () => Promise<T>,
  { clock, chance }: Surroundings,
  { forMs, signal }: { readonly forMs: number; readonly signal: AbortSignal | undefined },
): Promise<T> => {
  const deadline = clock.now() + forMs;
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError) || !error.retryable) throw error;
      const ms = waitOf(error, tries, chance());
      if (clock.now() + ms >= deadline) throw error;
      await clock.sleep(ms, signal);
    }
  }
};

/** What was asked for, and never less than what grows with the tries: `Retry-After: 0` is no leave to ask without a pause. */
export const waitOf = ({ retryAfterMs = 0 }: ApiError, tries: number, chance: number): number =>
  Math.max(retryAfterMs, chance * backOffMs(tries));

const backOffMs = (tries: number): number => Math.min(waitMsMax, waitMs * 2 ** tries);
