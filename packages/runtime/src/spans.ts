import { type Key, type MeshHeaders, positionOf, sha256Hex, type TraceId } from '@foldmesh/envelope';
import {
  type Context,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

/** Attribute names, in one place: semantic-conventions 1.45.0, messaging (status Development), and our own. */
export const attribute = {
  system: 'messaging.system.name',
  operation: 'messaging.operation.name',
  operationType: 'messaging.operation.type',
  destination: 'messaging.destination.template',
  messageId: 'messaging.message.id',
  batch: 'messaging.batch.message_count',
  errorType: 'error.type',
  tenant: 'foldmesh.tenant',
  job: 'foldmesh.job',
  task: 'foldmesh.task',
  attempt: 'foldmesh.attempt',
  strikes: 'foldmesh.strikes',
} as const;

const version = '0.1.0';
const tracer = () => trace.getTracer('foldmesh', version);

/** The span that a traceparent names. */
const senderOf = (traceparent: string | undefined): SpanContext | undefined => {
  const parts = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '');
  const [, traceId, spanId, flags] = parts ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
};

/**
 * Where a span hangs: the span that sent the message; or, where that is of another trace or unknown, the job's trace
 * alone, under a span that everybody makes up alike. So one job is one trace whatever its clients send.
 */
export const parentOf = (traceparent: string | undefined, traceId: TraceId): Context => {
  const sender = senderOf(traceparent);
  if (sender?.traceId === traceId) return trace.setSpanContext(ROOT_CONTEXT, sender);
  const spanId = sha256Hex(traceId).slice(0, 16);
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
};

/** The trace that a traceparent names. */
export const traceOf = (traceparent: string | undefined): TraceId | undefined =>
  senderOf(traceparent)?.traceId as TraceId | undefined; // 32 hex digits, by the pattern of `senderOf`

const linksTo = (traceparents: readonly (string | undefined)[]): Link[] =>
  traceparents.flatMap((traceparent) => {
    const context = senderOf(traceparent);
    return context === undefined ? [] : [{ context }];
  });

/** The header that makes what is sent from within `span` its child; without a tracer, what came in is handed on. */
export const traceparentOf = (
  span: Span,
  traceId: TraceId,
  incoming: string | undefined,
): string | undefined => {
  const context = span.spanContext();
  if (!isSpanContextValid(context) || context.traceId !== traceId) return incoming;
  return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`;
};

/** `process` of one message: a child of the span that sent it and linked to it, so that one job is one trace. */
export const processSpan = (destination: string, headers: MeshHeaders, traceId: TraceId): Span =>
  tracer().startSpan(
    `process ${destination}`,
    {
      kind: SpanKind.CONSUMER,
      links: linksTo([headers.traceparent]),
      attributes: {
        [attribute.system]: 'nats',
        [attribute.operation]: 'process',
        [attribute.operationType]: 'process',
        [attribute.destination]: destination,
        [attribute.messageId]: headers.id,
        ...identityOf(headers.key, headers.attempt),
      },
    },
    parentOf(headers.traceparent, traceId),
  );

/** One append for several envelopes: linked to the span of each, a child of the first. */
export const turnSpan = (
  name: string,
  key: Key,
  senders: readonly (string | undefined)[],
  traceId: TraceId,
): Span =>
  tracer().startSpan(
    `decide ${name}`,
    {
      kind: SpanKind.CONSUMER,
      links: linksTo(senders),
      attributes: { [attribute.batch]: senders.length, ...identityOf(key, 1) },
    },
    parentOf(
      senders.find((sender) => traceOf(sender) === traceId),
      traceId,
    ),
  );

/** An inner piece of work under a span that is already open. */
export const innerSpan = (name: string, under: Span, attributes: Record<string, string | number>): Span =>
  tracer().startSpan(name, { kind: SpanKind.INTERNAL, attributes }, trace.setSpan(ROOT_CONTEXT, under));

export const endSpan = (span: Span, errorType?: string): void => {
  if (errorType !== undefined) {
    span.setAttribute(attribute.errorType, errorType);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
};

const identityOf = (key: Key, attempt: number) => {
  const { tenant, job, task } = positionOf(key);
  return {
    [attribute.tenant]: tenant,
    [attribute.job]: job,
    [attribute.task]: task,
    [attribute.attempt]: attempt,
  };
};
