import { ok } from '@foldmesh/envelope';
import {
  type Call,
  chain,
  type Handler,
  logCall,
  type Middleware,
  retry,
  timeout,
  traceCall,
  traceparentOf,
  validate,
} from '@foldmesh/runtime';
import { callOf, spanSink } from '@foldmesh/runtime/internal';
import { jsonLog, systemClock, systemRandom } from '@foldmesh/system';
import { awaited, type Times } from '../measure/call-cost.ts';
import type { Layer } from './layer.ts';

const bare = 'handler that does nothing';
const nameOf = (): string => 'bench';

/** Each middleware around a handler that does nothing; as services are run by default, which log from `warn` on. */
export const middlewareLayers = (): readonly Layer[] => {
  const log = jsonLog({ level: 'warn' });
  const around: Readonly<Record<string, Middleware<number, number>>> = {
    log: logCall(log, systemClock, nameOf),
    trace: traceCall(nameOf),
    validate: validate(ok),
    retry: retry(systemClock, systemRandom),
    timeout: timeout(
      systemClock,
      () => 60_000,
      () => true,
      1_000,
    ),
  };
  const all = Object.values(around);
  return [
    { name: bare, times: through([]) },
    ...Object.entries(around).map(([name, one]) => ({ name, times: through([one]), over: bare })),
    { name: 'all five', times: through(all), over: bare },
    { name: 'trace, spans kept', times: traced(answering), over: bare },
    {
      name: 'trace, spans kept, and a traceparent',
      times: traced(saying),
      over: bare,
    },
  ];
};

const answering: Handler<number, number> = async (request) => ok(request);

/** Makes the header that what it sends would carry. */
const saying: Handler<number, number> = async (request, { span }) => {
  const traceId = span.spanContext().traceId as Call['trace_id']; // its own span's
  if (traceparentOf(span, traceId, undefined) === undefined)
    throw new Error('a span that is kept has no traceparent');
  return ok(request);
};

const through = (
  middleware: readonly Middleware<number, number>[],
  handler: Handler<number, number> = answering,
  call: Call = callOf(),
): Times => {
  const handle = chain(middleware, handler);
  return awaited(() => handle(1, call));
};

/** While it runs this process has a tracer that keeps all spans; by default there is none. */
const traced =
  (handler: Handler<number, number>): Times =>
  async (count) => {
    using _ = spanSink();
    // Its span, under which the others hang, is one of this tracer's.
    await through([traceCall(nameOf)], handler, callOf())(count);
  };
