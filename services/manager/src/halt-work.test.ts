import { cancelSubject, type Envelope, fail, fault, limits } from '@foldmesh/envelope';
import {
  deliveryOf,
  fakeHost,
  fakePorts,
  handOf,
  job,
  keyAt,
  pool,
  sealed,
  tenant,
} from '@foldmesh/runtime/internal';
import { describe, expect, it } from 'vitest';
import { haltWork } from './halt-work.ts';

const halted = async (fake = fakePorts()) => {
  const key = keyAt(5, '_job');
  const message = sealed(
    { type: 'job.halt', to: { service: 'manager', pool }, key, attempt: 1, payload: {} },
    fake.clock.now(),
  );
  const hand = handOf(fakeHost(fake), deliveryOf(message, fake.clock));
  const halting = haltWork(hand, { idempotency_key: key } as Envelope<'job.halt'>); // it reads nothing else
  // Workers get their time to answer what is queued.
  await fake.clock.pass(2_000);
  const verdict = await halting;
  await hand.hold[Symbol.asyncDispose]();
  return { fake, verdict };
};

describe('a halt', () => {
  it('marks the job for every claim, purges what is queued, tells who is at work, and is acked without an answer', async () => {
    const { fake, verdict } = await halted();
    expect(verdict).toEqual({ kind: 'silent', ack: true });
    const calls = fake.calls.map(({ call }) => call).filter((call) => /^(inbox.halt|bus)/.test(call));
    expect(calls).toEqual(['inbox.halt', 'bus.cast', 'bus.purge']);
    // As long as any request of this job can live.
    const markedAt = fake.clock.now() - 2_000;
    expect(fake.given('inbox.halt')).toEqual([[tenant, job, markedAt + limits.requestMs + 6_000]]);
    expect(fake.given('bus.cast')[0]?.[0]).toBe(cancelSubject(tenant, job));
    expect(fake.given('bus.purge')).toEqual([[tenant, job]]);
  });

  it('purges nothing before the mark is set: what is then claimed anew must see it', async () => {
    const fake = fakePorts();
    fake.answer('inbox.halt', fail(fault('unavailable', 'away', { retry_after_ms: 100 })));
    expect((await halted(fake)).verdict).toEqual({ kind: 'hand_back', delayMs: 100 });
    expect(fake.given('bus.purge')).toEqual([]);
  });

  it('comes again where the purge failed: both may happen twice', async () => {
    const fake = fakePorts();
    fake.answer('bus.purge', fail(fault('unavailable', 'away', { retry_after_ms: 100 })));
    expect((await halted(fake)).verdict).toEqual({ kind: 'hand_back', delayMs: 100 });
    expect((await halted(fake)).verdict).toEqual({ kind: 'silent', ack: true });
  });
});
