import { describe, expect, it } from 'vitest';
import { decodeJson } from './codec.ts';
import type { Draft } from './envelope.ts';
import { PoolName, TraceId } from './ids.ts';
import { invariant } from './invariant.ts';
import type { Json } from './json.ts';
import { Key } from './key.ts';
import { limits } from './limits.ts';
import { openOuter, openPayload } from './open.ts';
import type { Stamp } from './seal.ts';
import { sealFit } from './seal-fit.ts';

const draft = (input: unknown, more: Partial<Draft<'tool.call'>> = {}): Draft => ({
  type: 'tool.call',
  to: { service: 'tool-gateway', pool: PoolName.parse('default') },
  key: Key.parse('acme/j-1/a/1/0/0'),
  attempt: 1,
  payload: { tool: 'x', input: input as Json }, // perhaps none: that is what is tried
  ...more,
});
const stamp: Stamp = {
  sender: 'manager',
  at: 1,
  since: 1,
  epoch: 0,
  trace_id: TraceId.parse('ab'.repeat(16)),
};
const nested = (levels: number): Json => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as Json; // lists in lists

const complaint = (given: Draft, by = stamp): string => {
  const sealed = sealFit(given, by);
  return sealed.ok ? 'sealed' : `${sealed.fault.kind}: ${sealed.fault.detail}`;
};

describe('what no receiver could open is refused where it is made', () => {
  it('because it is nested too deep, at the very level at which a receiver refuses it', () => {
    // The body, the payload and its input: two levels around the list.
    const deepest = draft(nested(limits.nestingMax - 2));
    const sealed = sealFit(deepest, stamp);
    invariant(sealed.ok, 'it is not too deep');
    const { headers, body } = sealed.value.message;
    const outer = openOuter(headers, body);
    expect(outer.ok && openPayload(headers, outer.value)).toMatchObject({ ok: true });
    expect(complaint(draft(nested(limits.nestingMax - 1)))).toBe(
      'invalid: tool.call at acme/j-1/a/1/0/0: the payload is nested deeper than 63',
    );
  });

  it('because it is so deep that nobody could even write it', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(complaint(draft(deep))).toMatch(/^invalid: .*nested deeper than 63$/);
  });

  it('because it is larger than what a reference may stand for', () => {
    const overhead = '{"tool":"x","input":""}'.length;
    const largest = draft('x'.repeat(limits.bodyBytesMax - overhead));
    const sealed = sealFit(largest, stamp);
    expect(sealed.ok && decodeJson(sealed.value.claim ?? new Uint8Array())).toMatchObject({ ok: true });
    expect(complaint(draft('x'.repeat(limits.bodyBytesMax - overhead + 1)))).toMatch(
      /^overflow: tool\.call at .*: the payload has 8388609 bytes, the limit is 8388608$/,
    );
  });

  it('because its headers are too large', () => {
    const traceparent = 'x'.repeat(limits.headerBytesMax);
    expect(complaint(draft(1), { ...stamp, traceparent })).toMatch(
      /^overflow: .*: the headers have \d+ bytes, the limit is 4096$/,
    );
  });

  it('because its answer could go nowhere', () => {
    for (const reply_to of ['', 'two words', 'a..b', 'x'.repeat(257)])
      expect(complaint(draft(1, { reply_to }))).toMatch(/^invalid: .*: reply_to is no subject$/);
  });

  it('because a value in it stands in no JSON, and its place is named', () => {
    expect(complaint(draft({ a: ['b', '\ud83d'] }))).toMatch(/payload\.input\.a\.1 has half a character$/);
    expect(complaint(draft({ a: Number.POSITIVE_INFINITY }))).toMatch(/payload\.input\.a has a number/);
  });
});
