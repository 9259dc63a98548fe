import { TraceId } from '@foldmesh/envelope';
import type { Random } from '@foldmesh/ports';

/** The caller's trace goes on, so that a job is one trace from the request on (M7); without one, a new one begins. */
export const traceOf = (
  request: Request,
  random: Random,
): { readonly trace_id: TraceId; readonly traceparent: string } => {
  const given = request.headers.get('traceparent') ?? '';
  const [, id] = /^00-([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.exec(given) ?? [];
  const trace_id = TraceId.safeParse(id).data;
  if (trace_id !== undefined) return { trace_id, traceparent: given };
  return newTrace(TraceId.parse(random.hex(16)), random);
};

/** A place in a trace that is already known, like that of a job. */
export const newTrace = (trace_id: TraceId, random: Random) => ({
  trace_id,
  traceparent: `00-${trace_id}-${random.hex(8)}-01`,
});
