import { type Envelope, fault, type Json, type Key, type Outcome, ok } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { openDelivery } from './message.ts';
import { type OneCall, oneCall } from './one-call.ts';
import { fakeHost, handOf } from './testing/fake-host.ts';
import { type FakePorts, fakePorts } from './testing/fake-ports.ts';
import { deliveryOf, keyAt, pool, toolCall } from './testing/messages.ts';
import type { Ran } from './work.ts';

const schema = { type: 'boolean' };

/** What a call comes to, by its input. */
const ranOn = (input: Json): Ran => {
  if (input === 'bad') return { kind: 'failed', fault: fault('invalid', 'bad input') };
  if (input === 'ask') return { kind: 'paused', question: 'May I?', schema };
  if (input === 'ask freely') return { kind: 'paused', question: 'What now?' };
  return { kind: 'done', output: { asked: input } };
};

const one: OneCall<'tool.call'> = {
  unsafe: ({ payload }) => payload.tool === 'unsafe',
  label: ({ payload }) => `${payload.tool} ${JSON.stringify(payload.input)}`,
  inlineBytesMax: 100,
  run: async ({ payload }) => ranOn(payload.input),
  settle: (envelope, outcome) => ({
    type: 'tool.settle',
    to: { service: 'worker', pool },
    key: envelope.idempotency_key,
    attempt: envelope.attempt,
    payload: { outcome },
  }),
  standing: async () => ok({ kind: 'answered' }),
};

const worked = async (fake: FakePorts, input = 'good', redelivered = false) => {
  const delivery = deliveryOf(toolCall(1, fake.clock.now(), { input }), fake.clock, { redelivered });
  const opened = await openDelivery(fake.ports, delivery);
  if (opened.kind !== 'open') throw new Error(opened.kind);
  const hand = handOf(fakeHost(fake), delivery);
  const verdict = await oneCall(one)(hand, opened.envelope as Envelope<'tool.call'>); // it was made as one
  await hand.hold[Symbol.asyncDispose]();
  return verdict;
};

const settled = (outcome: Outcome) => ({
  kind: 'answer',
  draft: { type: 'tool.settle', key: keyAt(1), payload: { outcome } },
});

describe('a request that is one piece of work', () => {
  it('is claimed under its own key, run, and answered', async () => {
    const fake = fakePorts();
    const output = { value: { asked: 'good' } };
    expect(await worked(fake)).toMatchObject(settled({ kind: 'done', output }));
    expect(fake.given('inbox.claim')[0]?.[0]).toMatchObject({
      key: keyAt(1) satisfies Key,
      label: 'test.tool "good"',
    });
  });

  it('that fails is answered, too', async () => {
    expect(await worked(fakePorts(), 'bad')).toMatchObject(
      settled({ kind: 'failed', fault: fault('invalid', 'bad input') }),
    );
  });

  it('that waits for a person is stored as that, answered, and said again to a copy', async () => {
    const fake = fakePorts();
    const outcome: Outcome = { kind: 'paused', question: 'May I?', schema };
    expect(await worked(fake, 'ask')).toMatchObject(settled(outcome));
    const [, stored] = fake.given('inbox.complete')[0] ?? [];
    expect(stored).toEqual({ outcome });
    fake.answer('inbox.claim', ok({ kind: 'settled', outcome: stored }));
    expect(await worked(fake, 'ask', true)).toMatchObject(settled(outcome));
    expect(fake.given('inbox.complete').length).toBe(1);
  });

  it('that waits for a person and takes any answer names no shape', async () => {
    const fake = fakePorts();
    await worked(fake, 'ask freely');
    expect(fake.given('inbox.complete')[0]?.[1]).toEqual({
      outcome: { kind: 'paused', question: 'What now?' },
    });
  });

  it('that has struck out is a dead letter and an answer', async () => {
    const fake = fakePorts();
    fake.answer('inbox.claim', ok({ kind: 'struck', strikes: 4 }));
    expect(await worked(fake)).toMatchObject({
      kind: 'answer',
      park: { reason: expect.stringContaining('struck out'), strikes: 4 },
      draft: { payload: { outcome: { kind: 'failed', fault: { kind: 'unanswered', source: 'strikes' } } } },
    });
  });

  it('under a key that was used for another is seen by both sides, with both contents', async () => {
    const fake = fakePorts();
    fake.answer('inbox.claim', ok({ kind: 'reused', label: 'test.tool "first"' }));
    const detail = `key ${keyAt(1)} reused with different content: first test.tool "first", now test.tool "good"`;
    expect(await worked(fake)).toMatchObject({
      kind: 'answer',
      park: { reason: detail, strikes: 0 },
      draft: {
        payload: { outcome: { kind: 'failed', fault: { kind: 'invalid', detail, source: 'key_reused' } } },
      },
    });
  });

  it('that somebody else has goes back, and one that nobody wants any more is acked in silence', async () => {
    const fake = fakePorts();
    fake.answer('inbox.claim', ok({ kind: 'held', leaseLeftMs: 700 }));
    expect(await worked(fake)).toEqual({ kind: 'hand_back', delayMs: 700 });
    expect(await worked(fake, 'good', true)).toEqual({ kind: 'silent', ack: true });
  });
});
