import type { Clock, Log } from '@foldmesh/ports';
import type { Middleware } from '../call.ts';

/** One line per call: what, whose, how long in milliseconds, and the fault if there was one. Never the content. */
export const logCall =
  <Q, A>(log: Log, clock: Clock, nameOf: (request: Q) => string): Middleware<Q, A> =>
  (next) =>
  async (request, call) => {
    const begun = clock.monotonic();
    const result = await next(request, call);
    const fields = {
      key: call.key,
      attempt: call.attempt,
      trace_id: call.trace_id,
      ms: Math.round(clock.monotonic() - begun),
    };
    if (result.ok) log('debug', nameOf(request), fields);
    else log('info', nameOf(request), { ...fields, fault: result.fault.kind, detail: result.fault.detail });
    return result;
  };
