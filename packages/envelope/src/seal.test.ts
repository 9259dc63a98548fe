import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogue, kindOf, type Type } from './catalogue.ts';
import { decodeJson, encodeJson } from './codec.ts';
import { sha256Hex } from './digest.ts';
import type { Draft, Envelope } from './envelope.ts';
import type { Result } from './fault.ts';
import { fingerprint } from './fingerprint.ts';
import { readHeaders, writeHeaders } from './headers.ts';
import { digestOf, PoolName, TraceId, WireId } from './ids.ts';
import { invariant } from './invariant.ts';
import type { Json } from './json.ts';
import { Key } from './key.ts';
import { limits } from './limits.ts';
import { openOuter, openPayload } from './open.ts';
import { type Seal, type Stamp, seal } from './seal.ts';

const count = (max: number) => fc.integer({ min: 0, max });
const list = <T>(of: fc.Arbitrary<T>, min = 0) => fc.array(of, { minLength: min, maxLength: 3 });
/** What comes out of a parser: no `-0`, no `undefined`. */
const json = fc.json({ maxDepth: 5 }).map((text) => JSON.parse(text) as Json); // a parser yields nothing else
const optional = <T extends Record<string, unknown>, K extends keyof T>(
  fields: { [F in keyof T]: fc.Arbitrary<T[F]> },
  ...required: K[]
) => fc.record(fields, { requiredKeys: required });

const key = fc
  .tuple(fc.constantFrom('_job', 'audit', 'audit~3~0'), count(99), count(9))
  .map(([task, step, call]) => Key.parse(`acme/j-7f3d/${task}/1/${step}/${call}`));
const digest = fc.string().map((text) => sha256Hex(text));
const name = fc.constantFrom('files.list', 'licence.audit', 'x');
const blob = fc.record({ digest, bytes: count(1e9) });
const carried = fc.oneof(fc.record({ value: json }), fc.record({ ref: blob }));
const fault = optional(
  {
    kind: fc.constantFrom('unavailable', 'throttled', 'unanswered', 'invalid', 'refused', 'overflow'),
    detail: fc.string(),
    source: fc.string({ maxLength: 20 }),
    retry_after_ms: count(1e6),
  },
  'kind',
  'detail',
);
const outcome = fc.oneof(
  fc.record({ kind: fc.constant('done'), output: carried }),
  fc.record({ kind: fc.constant('failed'), fault }),
  fc.record({ kind: fc.constant('unknown'), open: fc.record({ call: fc.string(), detail: fc.string() }) }),
  fc.record({ kind: fc.constant('cancelled') }),
  optional({ kind: fc.constant('paused'), question: fc.string(), schema: json }, 'kind', 'question'),
);
const path = list(fc.string({ maxLength: 10 }));
const binding = fc.oneof(
  optional({ value: json, path }, 'value'),
  optional({ ref: blob, path }, 'ref'),
  optional({ list: list(fc.option(carried)), path }, 'list'),
);
const run = optional(
  { kind: fc.constantFrom('agent', 'skill', 'tool', 'pipeline'), name, inline: json },
  'kind',
  'name',
);
const item = fc.record({ of: binding, from: count(9), to: count(9), single: fc.boolean() });
const part = optional({ key, run, input: json, item, probes: list(path) }, 'key', 'run', 'input');
const lookup = fc.constantFrom('tasks.list.output', 'inputs.root', 'item');
const probed = fc.oneof(fc.record({ length: fc.option(count(99)) }), fc.record({ missing: fc.string() }));
const result = optional(
  {
    key,
    attempt: fc.integer({ min: 1, max: 9 }),
    outcome,
    worker: fc.string({ maxLength: 20 }),
    started_at: count(2e12),
    ended_at: count(2e12),
    usage: optional({ tool_calls: count(99), model_calls: count(99) }),
    probed: list(probed),
  },
  'key',
  'attempt',
  'outcome',
  'worker',
  'started_at',
  'ended_at',
);

const answer = { answer: carried, probed: list(probed) };
const calls = list(
  optional({ name: fc.string(), input: json, problem: fc.string(), ...answer }, 'name', 'input'),
);
const usage = fc.record({ input_tokens: fc.option(count(1e6)), output_tokens: fc.option(count(1e6)) });
const reply = optional({ text: fc.string(), reasoning: json, calls, usage, ...answer }, 'text', 'calls');
const tags = list(fc.constantFrom('licence', 'ünïcödé 🦊'));

/** One for each type: a type without one fails to compile. */
const payloads: { readonly [T in Type]: fc.Arbitrary<unknown> } = {
  'job.submit': fc.record({ spec: json }),
  'job.cancel': optional({ reason: fc.string({ maxLength: 1000 }) }),
  'job.settle': fc.record({ fault }),
  'job.halt': fc.constant({}),
  'task.assign': optional(
    {
      tasks: list(part, 1),
      attempts: list(fc.integer({ min: 1, max: 9 })),
      bind: fc.dictionary(lookup, binding),
    },
    'tasks',
  ),
  'task.settle': fc.record({ results: list(result, 1) }),
  'tool.call': fc.record({ tool: name, input: json }),
  'tool.settle': fc.record({ outcome }),
  'model.call': fc.record({ agent: name }),
  'model.settle': fc.oneof(
    fc.record({ kind: fc.constant('done'), reply }),
    fc.record({ kind: fc.constant('failed'), fault }),
    fc.record({ kind: fc.constant('cancelled') }),
  ),
  'memory.write': optional({ text: fc.string({ minLength: 1 }), tags, data: json }, 'text'),
  'memory.query': optional({
    text: fc.string(),
    tags,
    this_job: fc.boolean(),
    limit: fc.integer({ min: 1, max: 100 }),
  }),
  'memory.settle': fc.record({ outcome }),
  'input.ask': optional({ task: key, question: fc.string(), schema: json }, 'task', 'question'),
  'run.answer': fc.record({ request: fc.string(), value: json, by: fc.constantFrom('', 'anna') }),
  'run.cancel': fc.constant({}),
  'timer.fire': fc.record({ due: count(2e12) }),
};

const types = Object.keys(catalogue) as Type[]; // its keys, by definition of the type
const to = { service: 'worker', pool: PoolName.parse('default') } as const;
const drafts: fc.Arbitrary<Draft> = fc.constantFrom(...types).chain(
  (type) =>
    optional(
      {
        type: fc.constant(type),
        to: fc.constant(to),
        key,
        attempt: fc.integer({ min: 1, max: 99 }),
        payload: payloads[type],
        deadline: count(2e12),
        reply_to: fc.constant('mesh.v1.reply.w-1'),
      },
      'type',
      'to',
      'key',
      'attempt',
      'payload',
    ).map((draft) => draft as unknown as Draft), // payload and type come from the same line of `payloads`
);
const stamps: fc.Arbitrary<Stamp> = optional(
  {
    sender: fc.constantFrom('manager', 'worker.default'),
    at: count(2e12),
    since: count(2e12),
    epoch: count(99),
    trace_id: fc.constant(TraceId.parse('0af7651916cd43dd8448eb211c80319c')),
    traceparent: fc.constant('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
    causation_id: fc.constant(WireId.parse('ab'.repeat(16))),
  },
  'sender',
  'at',
  'since',
  'epoch',
  'trace_id',
);

/** As a receiver does it: headers from their text, the claim from the blob store. */
const open = ({ message, claim }: Seal): Result<Envelope> => {
  const headers = readHeaders(writeHeaders(message.headers));
  if (!headers.ok) return headers;
  const outer = openOuter(headers.value, message.body);
  if (!outer.ok) return outer;
  const claimed = claim && decodeJson(claim);
  if (claimed && !claimed.ok) return claimed;
  return openPayload(headers.value, outer.value, claimed?.value);
};

const opened = (sealed: Seal): Envelope => {
  const envelope = open(sealed);
  invariant(envelope.ok, envelope.ok ? '' : envelope.fault.detail);
  return envelope.value;
};

describe('sealing and opening', () => {
  it('gives back what was sealed, of every type', () =>
    fc.assert(
      fc.property(drafts, stamps, (draft, stamp) => {
        const { message } = seal(draft, stamp);
        const envelope = opened({ message });
        expect(envelope.payload).toEqual(draft.payload);
        expect(readHeaders(writeHeaders(message.headers))).toEqual({ ok: true, value: message.headers });
        expect(envelope).toMatchObject({
          id: message.headers.id,
          type: draft.type,
          v: catalogue[draft.type].v,
          sender: stamp.sender,
          receiver: 'worker.default',
          idempotency_key: draft.key,
          trace_id: stamp.trace_id,
          created_at: stamp.at,
          attempt: draft.attempt,
          epoch: stamp.epoch,
        });
        expect([envelope.causation_id, envelope.reply_to]).toEqual([stamp.causation_id, draft.reply_to]);
      }),
      { numRuns: 500 },
    ));

  it('gives a request a deadline where it has none, and nothing else', () =>
    fc.assert(
      fc.property(drafts, stamps, (draft, stamp) => {
        const { headers } = seal(draft, stamp).message;
        const own = kindOf(draft.type).request ? stamp.at + limits.requestMs : undefined;
        expect(headers.deadline).toBe(draft.deadline ?? own);
        expect(opened(seal(draft, stamp)).deadline).toBe(headers.deadline);
      }),
    ));

  it('names the same draft alike whenever it is sent, and each epoch of it differently', () =>
    fc.assert(
      fc.property(drafts, stamps, stamps, (draft, one, other) => {
        const [first, second] = [seal(draft, one).message, seal(draft, other).message];
        expect(first.headers.id === second.headers.id).toBe(one.epoch === other.epoch);
        expect([first.subject, first.headers.print]).toEqual([second.subject, second.headers.print]);
      }),
    ));
});

const call = (input: Json): Draft => ({
  type: 'tool.call',
  to,
  key: Key.parse('acme/j-1/a/1/0/0'),
  attempt: 1,
  payload: { tool: 'x', input },
});
const stamp: Stamp = {
  sender: 'manager',
  at: 1,
  since: 1,
  epoch: 0,
  trace_id: TraceId.parse('ab'.repeat(16)),
};

describe('the claim check', () => {
  const overhead = encodeJson(call('').payload).length;
  const large = call('x'.repeat(limits.inlineBytesMax - overhead + 1));

  it('begins one byte above the inline limit', () => {
    const fits = call('x'.repeat(limits.inlineBytesMax - overhead));
    expect(seal(fits, stamp).claim).toBeUndefined();
    expect(opened(seal(fits, stamp)).payload).toEqual(fits.payload);
    expect(seal(large, stamp).claim).toHaveLength(limits.inlineBytesMax + 1);
  });

  it('is transparent: a small message, the same envelope, the same fingerprint', () => {
    const sealed = seal(large, stamp);
    expect(sealed.message.body.length).toBeLessThan(1_000);
    expect(sealed.message.headers.print).toBe(fingerprint('tool.call', large.payload));
    expect(opened(sealed).payload).toEqual(large.payload);
    const outer = openOuter(sealed.message.headers, sealed.message.body);
    expect(outer.ok && outer.value.claim).toEqual({
      digest: digestOf(sealed.claim ?? new Uint8Array()),
      bytes: limits.inlineBytesMax + 1,
    });
  });

  it('takes only the payload that was asked for', () => {
    const sealed = seal(large, stamp);
    const swapped = open({ ...sealed, claim: encodeJson(call('something else').payload) });
    expect(swapped.ok ? '' : swapped.fault.detail).toMatch(/fingerprint/);
    const missing = open({ message: sealed.message });
    expect(missing.ok ? '' : missing.fault.detail).toMatch(/payload/);
  });
});

describe('lanes', () => {
  it("are the type's own, but where the draft says otherwise", () => {
    const agent: Draft = {
      type: 'task.assign',
      to,
      lane: 'decide',
      key: Key.parse('acme/j-1/a/1/0/0'),
      attempt: 1,
      payload: { tasks: [] },
    };
    expect(seal(agent, stamp).message.queue).toEqual({ ...to, lane: 'decide' });
    expect(seal(agent, stamp).message.subject).toContain('.decide.');
    expect(seal(call(1), stamp).message.queue).toEqual({ ...to, lane: 'call' });
  });
});
