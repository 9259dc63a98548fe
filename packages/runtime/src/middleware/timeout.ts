import { fail, fault, type Result } from '@foldmesh/envelope';
import type { Clock } from '@foldmesh/ports';
import type { Call, Middleware } from '../call.ts';

/**
 * One try has `msOf(request)` milliseconds, and never longer than the deadline. A handler that was aborted gets
 * `graceMs` to end; one that does not is left behind: a slot must not hang on it for ever.
 * The fault is `unanswered`: what ran may have happened. It says later only where `again` does.
 */
export const timeout =
  <Q, A>(
    clock: Clock,
    msOf: (request: Q) => number,
    again: (request: Q) => boolean,
    graceMs: number,
  ): Middleware<Q, A> =>
  (next) =>
  async (request, call) => {
    const ms = Math.max(0, Math.min(msOf(request), call.deadline - clock.now()));
    const inner = new AbortController();
    let rest = new AbortController();
    const pass = (): void => {
      inner.abort(call.signal.reason);
      rest.abort('over');
    };
    if (call.signal.aborted) pass();
    call.signal.addEventListener('abort', pass);
    let isOver = false;
    const expired = async (): Promise<Result<A>> => {
      await clock.sleep(ms, rest.signal);
      const timedOut = !inner.signal.aborted;
      if (!isOver) {
        if (timedOut) inner.abort('timeout');
        rest = new AbortController();
        await clock.sleep(graceMs, rest.signal);
      }
      const what = timedOut ? `no answer within ${ms} ms` : 'stopped, and did not end in time';
      return fail(
        fault('unanswered', what, {
          source: 'timeout',
          ...(timedOut && again(request) && { retry_after_ms: 0 }),
        }),
      );
    };
    try {
      const bounded: Call = { ...call, signal: inner.signal };
      const answer = await Promise.race([
        next(request, bounded).then((result) => ({ result })),
        expired().then((result) => ({ result, late: true })),
      ]);
      if (inner.signal.reason !== 'timeout' || 'late' in answer || answer.result.ok) return answer.result;
      // It ended because it was told to: what it says then is about the abort, not about the work.
      return fail(
        fault('unanswered', `no answer within ${ms} ms`, {
          source: 'timeout',
          ...(again(request) && { retry_after_ms: 0 }),
        }),
      );
    } finally {
      isOver = true;
      rest.abort('over');
      call.signal.removeEventListener('abort', pass);
    }
  };
