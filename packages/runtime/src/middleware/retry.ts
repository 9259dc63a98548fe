import type { Fault, Result } from '@foldmesh/envelope';
import type { Clock, Random } from '@foldmesh/ports';
import type { Middleware } from '../call.ts';

export interface RetrySettings {
  readonly triesMax: number;
  /** First wait, doubled each time, fully jittered. */
  readonly baseMs: number;
  /** A longer wait than this is not sat out here: the fault passes through, and the host hands the message back until then. */
  readonly waitMsMax: number;
}

export const retrySettings: RetrySettings = { triesMax: 3, baseMs: 100, waitMsMax: 2_000 };

/** Tries inside one claim, only for faults that say later. No other layer repeats a try. */
export const retry =
  <Q, A>(clock: Clock, random: Random, settings: RetrySettings = retrySettings): Middleware<Q, A> =>
  (next) =>
  async (request, call) => {
    for (let tries = 1; ; tries++) {
      const result: Result<A> = await next(request, call);
      if (result.ok || tries >= settings.triesMax || call.signal.aborted) return result;
      const waitMs = waitFor(result.fault, tries, random, settings);
      if (waitMs === undefined || clock.now() + waitMs >= call.deadline) return result;
      await clock.sleep(waitMs, call.signal);
      if (call.signal.aborted) return result;
    }
  };

const waitFor = (
  fault: Fault,
  tries: number,
  random: Random,
  settings: RetrySettings,
): number | undefined => {
  if (fault.retry_after_ms === undefined) return undefined;
  const backOff = random.float() * settings.baseMs * 2 ** (tries - 1);
  const waitMs = Math.round(Math.max(fault.retry_after_ms, backOff));
  return waitMs > settings.waitMsMax ? undefined : waitMs;
};
