import { fail, fault, ok } from '@foldmesh/envelope';
import { SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import type { Call } from '../call.ts';
import { callOf } from '../testing/fake-host.ts';
import { spanSink } from '../testing/span-sink.ts';
import { traceCall } from './trace.ts';

const traced = traceCall<string, string>(
  (request) => `do ${request}`,
  (request) => ({ 'test.length': request.length }),
);

describe('a traced call', () => {
  it('is one span below that of its message, which what it calls hangs below', async () => {
    using sink = spanSink();
    const call = callOf({ attempt: 3, strikes: 1 });
    const inner: Call[] = [];
    await traced(async (_, given) => {
      inner.push(given);
      return ok('done');
    })('work', call);
    const [outer, span] = sink.spans;
    expect(span).toMatchObject({
      name: 'do work',
      parent: outer?.context,
      ends: 1,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'foldmesh.tenant': 'acme',
        'foldmesh.job': 'j-1',
        'foldmesh.attempt': 3,
        'foldmesh.strikes': 1,
        'test.length': 4,
      },
    });
    expect(inner[0]?.span.spanContext()).toEqual(span?.context);
  });

  it('says how it failed, and ends also when it is a defect', async () => {
    using sink = spanSink();
    await traced(async () => fail(fault('throttled', 'x')))('one', callOf());
    const broken = traced(async () => {
      throw new Error('broken');
    });
    await expect(broken('two', callOf())).rejects.toThrow('broken');
    expect(
      sink.named('do').map(({ attributes, status, ends }) => [attributes['error.type'], status.code, ends]),
    ).toEqual([
      ['throttled', SpanStatusCode.ERROR, 1],
      ['defect', SpanStatusCode.ERROR, 1],
    ]);
  });
});
