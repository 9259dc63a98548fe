import {
  type Attributes,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** One span as it was made. */
export interface SeenSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  readonly links: readonly Link[];
  readonly attributes: Attributes;
  status: SpanStatus;
  ends: number;
}

/** All spans of this process, from when it is opened until it is disposed. */
export interface SpanSink extends Disposable {
  readonly spans: readonly SeenSpan[];
  named(start: string): readonly SeenSpan[];
}

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');

/** Becomes the process's tracer; another one must not be there. */
export const spanSink = (): SpanSink => {
  const spans: SeenSpan[] = [];

  const startSpan = (name: string, options: SpanOptions = {}, context?: Context): Span => {
    const parent = context === undefined ? undefined : trace.getSpanContext(context);
    const seen: SeenSpan = {
      name,
      kind: options.kind ?? SpanKind.INTERNAL,
      context: {
        traceId: parent?.traceId ?? hex(spans.length + 1, 32),
        spanId: hex(spans.length + 1, 16),
        traceFlags: TraceFlags.SAMPLED,
      },
      parent,
      links: options.links ?? [],
      attributes: { ...options.attributes },
      status: { code: SpanStatusCode.UNSET },
      ends: 0,
    };
    spans.push(seen);
    return spanOf(seen);
  };

  const tracer: Tracer = {
    startSpan,
    startActiveSpan: () => {
      throw new Error('nothing here is ambient');
    },
  };
  if (!trace.setGlobalTracerProvider({ getTracer: () => tracer }))
    throw new Error('there is a tracer already');
  return {
    spans,
    named: (start) => spans.filter(({ name }) => name.startsWith(start)),
    [Symbol.dispose]: () => trace.disable(),
  };
};

const spanOf = (seen: SeenSpan): Span => {
  const span: Span = {
    spanContext: () => seen.context,
    setAttribute(name, value) {
      seen.attributes[name] = value;
      return span;
    },
    setAttributes(all) {
      Object.assign(seen.attributes, all);
      return span;
    },
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    setStatus(status) {
      seen.status = status;
      return span;
    },
    updateName: () => span,
    end() {
      seen.ends += 1;
    },
    isRecording: () => seen.ends === 0,
    recordException: () => undefined,
  };
  return span;
};
