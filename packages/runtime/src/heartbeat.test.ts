import { fail, fault, ok, type Result } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { causeOf, type Hold, holdDelivery } from './heartbeat.ts';
import { fakePorts } from './testing/fake-ports.ts';
import { type Delivered, deliveryOf, keyAt, toolCall } from './testing/messages.ts';

const ackWaitMs = 6_000;
const held = { type: 'tool.call', key: keyAt(1), token: 1 } as const;
const away = fail(fault('unavailable', 'away'));

const holding = (how: Delivered = {}) => {
  const fake = fakePorts();
  const delivery = deliveryOf(toolCall(1, fake.clock.now()), fake.clock, how);
  const hold: Hold = holdDelivery(fake.ports, delivery, ackWaitMs);
  return { fake, delivery, hold, cause: () => causeOf(hold.signal) };
};

describe('a heartbeat', () => {
  it('renews the lease first and the hold second, every third of the ack wait', async () => {
    const { fake, delivery, hold } = holding();
    hold.carry(held);
    await fake.clock.pass(1_999);
    expect(delivery.said).toEqual([]);
    await fake.clock.pass(4_001);
    expect(fake.given('inbox.renew')).toEqual(Array(3).fill([held, ackWaitMs]));
    expect(delivery.said).toEqual(['working', 'working', 'working']);
    await hold[Symbol.asyncDispose]();
    await fake.clock.pass(60_000);
    expect([delivery.said.length, fake.clock.sleepers(), hold.lost()]).toEqual([3, 0, false]);
  });

  it('renews every claim of a bundle, and counts only when all have answered', async () => {
    const { fake, delivery, hold } = holding();
    const other = { ...held, key: keyAt(2), token: 2 };
    hold.carry(held);
    hold.carry(other);
    fake.answer('inbox.renew', ok('held'), away);
    await fake.clock.pass(2_000);
    expect([fake.given('inbox.renew').map(([claim]) => claim), delivery.said]).toEqual([[held, other], []]);
    hold.drop(held);
    await fake.clock.pass(2_000);
    expect([fake.given('inbox.renew')[2]?.[0], delivery.said]).toEqual([other, ['working']]);
    await hold[Symbol.asyncDispose]();
  });

  it('renews the hold alone where nothing is claimed', async () => {
    const { fake, delivery, hold } = holding();
    await fake.clock.pass(2_000);
    expect([fake.given('inbox.renew').length, delivery.said]).toEqual([0, ['working']]);
    await hold[Symbol.asyncDispose]();
  });

  it('does not renew the hold of a lease that did not answer', async () => {
    const { fake, delivery, hold, cause } = holding();
    hold.carry(held);
    fake.answer('inbox.renew', away);
    await fake.clock.pass(2_000);
    expect(delivery.said).toEqual([]);
    await fake.clock.pass(2_000);
    expect([delivery.said, cause()]).toEqual([['working'], undefined]);
    await hold[Symbol.asyncDispose]();
  });
});

describe('a hold is lost', () => {
  it('at the first word that somebody else has the lease, and then says nothing more', async () => {
    const { fake, delivery, hold, cause } = holding();
    hold.carry(held);
    fake.answer('inbox.renew', ok('lost'));
    await fake.clock.pass(2_000);
    expect([cause(), hold.lost()]).toEqual(['lost', true]);
    await fake.clock.pass(60_000);
    expect([delivery.said, fake.given('inbox.renew').length]).toEqual([[], 1]);
    await hold[Symbol.asyncDispose]();
  });

  it('after a whole ack wait in which the store or the broker never answered well', async () => {
    for (const broken of ['inbox.renew', 'working'] as const) {
      const { fake, hold, cause } = holding(broken === 'working' ? { working: async () => away } : {});
      hold.carry(held);
      if (broken === 'inbox.renew') fake.answer(broken, away, away, away, away);
      await fake.clock.pass(5_999);
      expect([broken, cause()]).toEqual([broken, undefined]);
      await fake.clock.pass(1);
      expect([broken, cause()]).toEqual([broken, 'lost']);
      await hold[Symbol.asyncDispose]();
    }
  });

  it('also when a call never comes back: it does not wait for that', async () => {
    const { fake, hold, cause } = holding();
    hold.carry(held);
    fake.answer('inbox.renew', () => new Promise<Result<unknown>>(() => {}));
    await fake.clock.pass(6_000);
    expect(cause()).toBe('lost');
    await hold[Symbol.asyncDispose]();
    expect(fake.clock.sleepers()).toBe(0);
  });

  it('counted from the delivery, not from when its handler began', async () => {
    const { clock } = fakePorts();
    const { fake, hold, cause } = holding({ receivedAt: clock.now() - 4_000, working: async () => away });
    await fake.clock.pass(2_000);
    expect(cause()).toBe('lost');
    await hold[Symbol.asyncDispose]();
  });

  it('beside an earlier cause, which the signal keeps', async () => {
    const { fake, hold, cause } = holding();
    hold.carry(held);
    hold.abort('draining');
    fake.answer('inbox.renew', ok('lost'));
    await fake.clock.pass(2_000);
    expect([cause(), hold.lost()]).toEqual(['draining', true]);
    await hold[Symbol.asyncDispose]();
  });
});

describe('a hold is not lost', () => {
  it('to who woke up late and finds the lease still its own', async () => {
    const fake = fakePorts();
    const delivery = deliveryOf(toolCall(1, fake.clock.now()), fake.clock);
    // Busy for longer than three leases: every sleep until then ends late.
    const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
      fake.clock.sleep(Math.max(ms, 20_000 - fake.clock.monotonic()), signal);
    const hold = holdDelivery({ ...fake.ports, clock: { ...fake.clock, sleep } }, delivery, ackWaitMs);
    hold.carry(held);
    await fake.clock.pass(20_000);
    expect([causeOf(hold.signal), delivery.said]).toEqual([undefined, ['working']]);
    await hold[Symbol.asyncDispose]();
  });

  it('by the end of a claim that its own holder has given up', async () => {
    const { fake, hold, cause } = holding();
    hold.carry(held);
    fake.answer('inbox.renew', async () => {
      hold.drop(held);
      return ok('lost');
    });
    await fake.clock.pass(2_000);
    expect(cause()).toBeUndefined();
    await hold[Symbol.asyncDispose]();
  });

  it('by a cancel: that is told, and the renewal goes on', async () => {
    const { fake, delivery, hold, cause } = holding();
    hold.carry(held);
    fake.answer('inbox.renew', ok('halted'));
    await fake.clock.pass(4_000);
    expect([cause(), hold.lost(), delivery.said.length]).toEqual(['cancelled', false, 2]);
    await hold[Symbol.asyncDispose]();
  });

  it('and nothing is renewed once it is let go of, not even by a beat under way', async () => {
    const { fake, delivery, hold } = holding();
    hold.carry(held);
    const late = Promise.withResolvers<Result<unknown>>();
    fake.answer('inbox.renew', () => late.promise);
    await fake.clock.pass(2_000);
    await hold[Symbol.asyncDispose]();
    late.resolve(ok('held'));
    await fake.clock.pass(10_000);
    expect(delivery.said).toEqual([]);
  });
});
