import { traceIdFrom } from '@foldmesh/envelope';
import { SpanKind, trace as tracing } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { endSpan, innerSpan, parentOf, processSpan, traceOf, traceparentOf, turnSpan } from './spans.ts';
import { keyAt, toolCall, trace } from './testing/messages.ts';
import { spanSink } from './testing/span-sink.ts';

const header = (traceId: string, spanId = '00f067aa0ba902b7') => `00-${traceId}-${spanId}-01`;
const headersWith = (traceparent: string | undefined) => ({ ...toolCall(1, 1).headers, traceparent });

describe('the span of a message', () => {
  it('is a child of the span that sent it, and linked to it', () => {
    using sink = spanSink();
    processSpan('mesh.v1.{tenant}.work.a', headersWith(header(trace)), trace).end();
    const sender = { traceId: trace, spanId: '00f067aa0ba902b7', traceFlags: 1, isRemote: true };
    expect(sink.spans[0]).toMatchObject({
      name: 'process mesh.v1.{tenant}.work.a',
      kind: SpanKind.CONSUMER,
      parent: sender,
      links: [{ context: sender }],
      attributes: {
        'messaging.system.name': 'nats',
        'messaging.operation.type': 'process',
        'foldmesh.tenant': 'acme',
        'foldmesh.job': 'j-1',
        'foldmesh.task': 'task',
        'foldmesh.attempt': 1,
      },
    });
  });

  it("is of its job's trace whatever the header says, and still linked to who sent it", () => {
    using sink = spanSink();
    const other = traceIdFrom('another');
    for (const traceparent of [
      undefined,
      'nonsense',
      header(other),
      header('0'.repeat(32)),
      header(trace, '0'.repeat(16)),
    ])
      processSpan('a', headersWith(traceparent), trace).end();
    expect(sink.spans.map(({ context }) => context.traceId)).toEqual(Array(5).fill(trace));
    expect(sink.spans.map(({ links }) => links.length)).toEqual([0, 0, 1, 0, 0]);
    // Everybody makes up the same parent, so these are one tree.
    expect(new Set(sink.spans.map(({ parent }) => parent?.spanId)).size).toBe(1);
  });
});

describe('the span of a turn', () => {
  it('is linked to the senders of all its envelopes, and a child of the first in its trace', () => {
    using sink = spanSink();
    const senders = [
      header(traceIdFrom('x')),
      undefined,
      header(trace, '1'.repeat(16)),
      header(trace, '2'.repeat(16)),
    ];
    turnSpan('acme/j-1', keyAt(1), senders, trace).end();
    const [span] = sink.spans;
    expect([span?.name, span?.parent?.spanId, span?.context.traceId]).toEqual([
      'decide acme/j-1',
      '1'.repeat(16),
      trace,
    ]);
    expect(span?.links.length).toBe(3);
    expect(span?.attributes['messaging.batch.message_count']).toBe(4);
  });
});

describe('what is sent from within a span', () => {
  it('names it as its parent', () => {
    using _ = spanSink();
    const span = processSpan('a', headersWith(undefined), trace);
    const { spanId } = span.spanContext();
    expect(traceparentOf(span, trace, 'incoming')).toBe(`00-${trace}-${spanId}-01`);
    expect(traceOf(traceparentOf(span, trace, undefined))).toBe(trace);
  });

  it('carries on what came in where there is no tracer, or where the span is of another trace', () => {
    expect(traceparentOf(processSpan('a', headersWith(header(trace)), trace), trace, 'incoming')).toBe(
      header(trace),
    );
    using _ = spanSink();
    const stray = tracing.getTracer('x').startSpan('stray');
    expect(traceparentOf(stray, trace, 'incoming')).toBe('incoming');
  });
});

it('an inner span hangs below the one it is given, and says how it failed', () => {
  using sink = spanSink();
  const outer = processSpan('a', headersWith(undefined), trace);
  const inner = innerSpan('inner', outer, { 'a.b': 1 });
  endSpan(inner, 'throttled');
  endSpan(outer);
  expect(sink.spans.map(({ ends, attributes }) => [ends, attributes['error.type']])).toEqual([
    [1, undefined],
    [1, 'throttled'],
  ]);
  expect(sink.spans[1]?.parent?.spanId).toBe(outer.spanContext().spanId);
});

it('a parent is made up alike by everybody, and never is no span', () => {
  const context = tracing.getSpanContext(parentOf(undefined, trace));
  expect(context).toEqual(tracing.getSpanContext(parentOf('nonsense', trace)));
  expect(context?.spanId).toMatch(/^(?!0{16})[0-9a-f]{16}$/);
});
