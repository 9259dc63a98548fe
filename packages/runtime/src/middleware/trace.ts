import type { Middleware } from '../call.ts';
import { attribute, endSpan, innerSpan } from '../spans.ts';

/** One span per call, named by `nameOf`; identifiers first, so that a limit on attributes cuts others. */
export const traceCall =
  <Q, A>(
    nameOf: (request: Q) => string,
    attributesOf: (request: Q) => Record<string, string | number> = () => ({}),
  ): Middleware<Q, A> =>
  (next) =>
  async (request, call) => {
    const { tenant, job, attempt, strikes } = call;
    const span = innerSpan(nameOf(request), call.span, {
      [attribute.tenant]: tenant,
      [attribute.job]: job,
      [attribute.attempt]: attempt,
      [attribute.strikes]: strikes,
      ...attributesOf(request),
    });
    try {
      const result = await next(request, { ...call, span });
      endSpan(span, result.ok ? undefined : result.fault.kind);
      return result;
    } catch (error) {
      endSpan(span, 'defect');
      throw error;
    }
  };
