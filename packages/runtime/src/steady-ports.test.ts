import { fail, fault, ok, type Result } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { runtimeLimits } from './settings.ts';
import { steadyPorts } from './steady-ports.ts';
import { fakePorts } from './testing/fake-ports.ts';
import { deliveryOf, job, keyAt, pool, tenant, toolCall } from './testing/messages.ts';

const away = fail(fault('unavailable', 'away', { retry_after_ms: 100 }));
const silent = fail(fault('unanswered', 'no word', { retry_after_ms: 100 }));
const queue = { service: 'tool-gateway', pool, lane: 'call' } as const;

/** Lets time pass until this has an answer. */
const answered = async <T>(
  fake: ReturnType<typeof fakePorts>,
  asked: Promise<Result<T>>,
): Promise<Result<T>> => {
  await fake.clock.pass(10_000);
  return asked;
};

describe('steady ports', () => {
  it('ask again where there was nobody, or no answer, with the very same words', async () => {
    const fake = fakePorts();
    const ports = steadyPorts(fake.ports);
    fake.answer('inbox.claim', away, silent);
    const request = {
      type: 'tool.call',
      key: keyAt(1),
      print: 'p',
      owner: 'me',
      leaseMs: 1,
      label: 'l',
    } as never; // as it comes
    expect(await answered(fake, ports.inbox.claim(request))).toMatchObject({
      ok: true,
      value: { kind: 'won' },
    });
    expect(fake.given('inbox.claim')).toEqual([[request], [request], [request]]);
    const message = toolCall(1, fake.clock.now());
    fake.answer('bus.publish', silent);
    expect(await answered(fake, ports.bus.publish(message))).toEqual(ok({ duplicate: false }));
    expect(fake.given('bus.publish')).toEqual([[message], [message]]);
  });

  it('ask for a while and no longer', async () => {
    const fake = fakePorts();
    const ports = steadyPorts(fake.ports);
    fake.answer('journal.last', ...Array(100).fill(away));
    const asked = ports.journal.last({ tenant, job });
    await fake.clock.pass(runtimeLimits.insistMs);
    expect(await asked).toEqual(away);
    expect(fake.given('journal.last').length).toBe(runtimeLimits.insistMs / 100 + 1);
    expect(fake.clock.sleepers()).toBe(0);
  });

  it('take for an answer what is one', async () => {
    for (const answer of [
      fail(fault('throttled', 'full', { retry_after_ms: 100 })),
      fail(fault('overflow', 'too large')),
      fail(fault('invalid', 'no such blob')),
      fail(fault('unavailable', 'gone for good')),
    ]) {
      const fake = fakePorts();
      fake.answer('blobs.put', answer);
      const asked = await answered(fake, steadyPorts(fake.ports).blobs.put(tenant, job, new Uint8Array()));
      expect([asked, fake.given('blobs.put').length]).toEqual([answer, 1]);
    }
  });

  it('are steady down to a delivery: an ack that was not answered is said again', async () => {
    const fake = fakePorts();
    const ports = steadyPorts(fake.ports);
    fake.answer('bus.subscribe', away);
    const subscribing = ports.bus.subscribe(queue);
    await fake.clock.pass(1_000);
    const subscribed = await subscribing;
    if (!subscribed.ok) throw new Error('not subscribed');
    let acks = 0;
    const delivery = deliveryOf(toolCall(1, fake.clock.now()), fake.clock);
    const ack = async (): Promise<Result<void>> => (acks++ === 0 ? silent : ok(undefined));
    fake.feed(queue, { ...delivery, ack });
    const [taken] = await subscribed.value.pull(5, new AbortController().signal);
    if (taken === undefined) throw new Error('nothing was delivered');
    expect(await answered(fake, taken.ack())).toEqual(ok(undefined));
    expect(acks).toBe(2);
    await taken.nak(5);
    await taken.working();
    expect(delivery.said).toEqual(['nak 5', 'working']);
    await subscribed.value[Symbol.asyncDispose]();
    expect(fake.given('subscription.close').length).toBe(1);
  });

  it('hand every call on to its own port', async () => {
    const fake = fakePorts();
    const { bus, journal, inbox, blobs, index, dead } = steadyPorts(fake.ports);
    const held = { type: 'tool.call', key: keyAt(1), token: 1 } as const;
    await Promise.all([
      bus.standing(queue),
      bus.purge(tenant, job),
      journal.append({ entity: { tenant, job }, entry: new Uint8Array(), expected: 0, id: 'x' as never }), // never looked at
      journal.at({ tenant, job }, 1),
      journal.read({ tenant, job }, 1, 1),
      inbox.renew(held, 1),
      inbox.start(held),
      inbox.complete(held, { outcome: { kind: 'cancelled' } }, 1),
      inbox.release(held, 'try'),
      inbox.peek(held),
      inbox.halt(tenant, job, 1),
      inbox.generation(),
      blobs.get(tenant, job, 'x' as never), // never looked at
      index.put('a', 1),
      index.list('a'),
      dead.put({} as never), // never looked at
      dead.list(),
    ]);
    bus.cast('a', new Uint8Array());
    expect(fake.calls.map(({ call }) => call)).toEqual([
      'bus.standing',
      'bus.purge',
      'journal.append',
      'journal.at',
      'journal.read',
      'inbox.renew',
      'inbox.start',
      'inbox.complete',
      'inbox.release',
      'inbox.peek',
      'inbox.halt',
      'inbox.generation',
      'blobs.get',
      'index.put',
      'index.list',
      'dead.put',
      'dead.list',
      'bus.cast',
    ]);
    await using _ = bus.listen('a', () => {});
    expect(fake.listeners()).toBe(1);
    expect(
      journal.follow({ tenant, job }, 1, new AbortController().signal)[Symbol.asyncIterator],
    ).toBeDefined();
  });
});
