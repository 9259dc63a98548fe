import { type Fault, fail, type Instant, type Result } from '@foldmesh/envelope';
import type { Clock, Random } from '@foldmesh/ports';
import type { Call, Middleware } from '../call.ts';

export interface RetrySettings {
  readonly triesMax: number;
  /** First wait, doubled each time, fully jittered. */
  readonly baseMs: number;
  /** A longer wait than this is not sat out here: the fault passes through, and the host hands the message back until then. */
  readonly waitMsMax: number;
}

export const retrySettings: RetrySettings = { triesMax: 3, baseMs: 100, waitMsMax: 2_000 };

/**
 * Tries inside one claim, only for faults that say later; one fewer for each claim before it that has tried. No other layer
 * repeats a try. Whoever was told the same time by one provider comes back at another moment after it.
 */
export const retry =
  <Q, A>(clock: Clock, random: Random, settings: RetrySettings = retrySettings): Middleware<Q, A> =>
  (next) =>
  async (request, call) => {
    const triesMax = Math.max(1, settings.triesMax - call.tries);
    for (let tries = 1; ; tries++) {
      const result: Result<A> = await next(request, call);
      if (result.ok || call.signal.aborted) return result;
      const { retry_after_ms: said } = result.fault;
      if (said === undefined) return result;
      const later = spread(said, call.deadline - clock.now(), random);
      if (said > settings.waitMsMax) return fail({ ...result.fault, retry_after_ms: later });
      if (tries >= triesMax) return result;
      const backOff = Math.round(random.float() * settings.baseMs * 2 ** (tries - 1));
      const waitMs = Math.max(later, backOff);
      if (clock.now() + waitMs >= call.deadline) return result;
      await clock.sleep(waitMs, call.signal);
      if (call.signal.aborted) return result;
    }
  };

/**
 * Whether what has failed goes back to be tried in another claim: it wants more time than is sat out in one, and there are
 * tries and time left. So one question is three requests, and at most 3 + 2 + 1 where each of its claims ends so.
 */
export const isTriedLater = (
  { retry_after_ms: waitMs = 0 }: Fault,
  { tries, deadline }: Pick<Call, 'tries' | 'deadline'>,
  now: Instant,
  { triesMax, waitMsMax }: RetrySettings = retrySettings,
): boolean => triesMax - tries > 1 && waitMs > waitMsMax && now + waitMs < deadline;

/** Never before the time that was said, and up to as long again after it, of the half of what there is time for. Milliseconds. */
const spread = (waitMs: number, roomMs: number, random: Random): number =>
  Math.round(waitMs + random.float() * Math.max(0, Math.min(waitMs, (roomMs - waitMs) / 2)));
