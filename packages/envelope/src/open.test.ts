import { describe, expect, it } from 'vitest';
import { encodeJson } from './codec.ts';
import type { Draft } from './envelope.ts';
import { readHeaders, writeHeaders } from './headers.ts';
import { PoolName, TraceId, traceIdFrom } from './ids.ts';
import { invariant } from './invariant.ts';
import { Key } from './key.ts';
import { limits } from './limits.ts';
import { isNewer, openOuter, openPayload } from './open.ts';
import { type Stamp, seal } from './seal.ts';

const replyTo = 'mesh.v1.reply.worker-7';
const draft: Draft = {
  type: 'tool.call',
  to: { service: 'tool-gateway', pool: PoolName.parse('default') },
  key: Key.parse('acme/j-1/a/1/0/0'),
  attempt: 1,
  payload: { tool: 'files.list', input: { path: '.' } },
  reply_to: replyTo,
};
const stamp: Stamp = {
  sender: 'worker.default',
  at: 1,
  since: 1,
  epoch: 0,
  trace_id: TraceId.parse('ab'.repeat(16)),
};
const { message } = seal(draft, stamp);
const body = JSON.parse(new TextDecoder().decode(message.body)) as Record<string, unknown>; // sealed just above

/** What a receiver says of a body under the headers of the good one, from their text on. */
const complaint = (changed: unknown, headers: Record<string, string> = {}): string => {
  const read = readHeaders({ ...writeHeaders(message.headers), ...headers });
  if (!read.ok) return read.fault.detail;
  const outer = openOuter(read.value, changed instanceof Uint8Array ? changed : encodeJson(changed));
  if (!outer.ok) return outer.fault.detail;
  const envelope = openPayload(read.value, outer.value);
  return envelope.ok ? 'opened' : envelope.fault.detail;
};

const without = (name: string): unknown =>
  Object.fromEntries(Object.entries(body).filter(([field]) => field !== name));

describe('an envelope as it should be', () => {
  it('is opened', () => {
    expect(complaint(body)).toBe('opened');
  });
});

describe('readable JSON, invalid envelope: each is refused by the name of what is wrong', () => {
  it.each([
    ['no key', without('idempotency_key'), /idempotency_key/],
    ['an empty key', { ...body, idempotency_key: '' }, /idempotency_key/],
    ['a key of 10 KB', { ...body, idempotency_key: 'k'.repeat(10 * 1024) }, /idempotency_key/],
    ['a number as key', { ...body, idempotency_key: 7 }, /idempotency_key/],
    ['no trace id', without('trace_id'), /trace_id/],
    ['an unknown type', { ...body, type: 'tool.dance' }, /type: no such type/],
    ['payload null', { ...body, payload: null }, /tool\.call payload/],
    ['a receiver with a wildcard', { ...body, receiver: 'worker.*' }, /receiver/],
    ['no sender', without('sender'), /sender/],
    ['an extra list', { ...body, extra: [1] }, /extra/],
    ['a list instead of an envelope', [body], /envelope: ./],
    ['two things wrong', { ...body, sender: 7, receiver: 'nobody' }, /sender.*\(and 1 more\)/],
  ])('%s', (_, changed, named) => {
    expect(complaint(changed)).toMatch(named);
  });

  it('a malformed trace id alone costs no work: the envelope gets a trace of its own, the same each time', () => {
    for (const trace_id of ['', 'x', '0'.repeat(32), 'AB'.repeat(16)]) {
      const outer = openOuter(message.headers, encodeJson({ ...body, trace_id }));
      invariant(outer.ok, 'a malformed trace id must not cost the envelope');
      const envelope = openPayload(message.headers, outer.value);
      expect(envelope).toMatchObject({ ok: true, value: { trace_id: traceIdFrom(draft.key) } });
    }
  });

  it('the same in the headers, where there is nothing else to go by', () => {
    for (const key of ['', 'k'.repeat(10 * 1024), 'acme/j-1'])
      expect(complaint(body, { 'Mesh-Key': key })).toMatch(/Mesh-Key/);
  });
});

describe('header and body', () => {
  const { payload, ...rest } = body;

  it.each([
    ['idempotency_key', { ...body, idempotency_key: 'acme/j-1/a/1/0/1' }],
    ['type', { ...body, type: 'job.submit' }],
    ['v', { ...body, v: 2 }],
    ['id', { ...body, id: 'cd'.repeat(16) }],
    ['deadline', { ...body, deadline: 7 }],
    ['sender', { ...body, sender: 'worker.gpu' }],
    ['reply_to', without('reply_to')],
    ['reply_to', { ...body, reply_to: 'mesh.v1.reply.another' }],
  ])('differ in %s: refused, by its name', (name, changed) => {
    expect(complaint(changed)).toBe(`envelope: ${name} differs between header and body`);
  });

  it('agree where an older sender has put neither itself nor its reply into the headers', () => {
    const older = { ...message.headers, from: undefined, reply: undefined };
    const outer = openOuter(older, message.body);
    expect(outer).toMatchObject({
      ok: true,
      value: { body: { sender: 'worker.default', reply_to: replyTo } },
    });
    // But what is there says what the body says.
    expect(openOuter({ ...older, reply: replyTo }, encodeJson(without('reply_to')))).toMatchObject({
      ok: false,
    });
  });

  it("a payload whose fingerprint is not the header's is refused", () => {
    expect(complaint({ ...body, payload: { tool: 'files.list', input: { path: '/' } } })).toMatch(
      /fingerprint/,
    );
  });

  it('exactly one of payload and reference is there', () => {
    const payload_ref = { digest: 'ab'.repeat(32), bytes: 7 };
    expect(complaint({ ...body, payload_ref })).toMatch(/exactly one of payload and payload_ref/);
    expect(complaint(rest)).toMatch(/exactly one of payload and payload_ref/);
    expect(payload).toBeDefined();
  });

  it('a request without a deadline is refused', () => {
    const { 'Mesh-Deadline': _, ...headers } = writeHeaders(message.headers);
    const read = readHeaders(headers);
    const outer = read.ok ? openOuter(read.value, encodeJson(without('deadline'))) : read;
    expect(outer.ok ? '' : outer.fault.detail).toBe(
      'envelope: deadline is missing, and tool.call is a request',
    );
  });
});

describe('a body that is no envelope at all', () => {
  it.each([
    [
      'too large',
      new Uint8Array(limits.inlineBytesMax + limits.assignmentBytesMax + 1),
      /bytes, the limit is/,
    ],
    ['not UTF-8', new Uint8Array([0xff]), /not UTF-8/],
    ['not JSON', new Uint8Array([0x7b]), /not JSON/],
    ['too deep', new TextEncoder().encode('['.repeat(10_000)), /nested deeper/],
    ['a word', encodeJson('hello'), /envelope: ./],
    ['nothing', encodeJson(null), /envelope: ./],
  ])('%s', (_, bytes, named) => {
    expect(complaint(bytes)).toMatch(named);
  });
});

describe('a newer version', () => {
  it('is told from the headers alone, and only of a type that we know', () => {
    expect(isNewer(message.headers)).toBe(false);
    expect(isNewer({ ...message.headers, v: 2 })).toBe(true);
    expect(isNewer({ ...message.headers, type: 'future.thing', v: 2 })).toBe(false);
  });
});
