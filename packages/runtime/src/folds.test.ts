import { fail, fault, ok, type Queue, type Result, writeHeaders } from '@foldmesh/envelope';
import type { Append } from '@foldmesh/ports';
import { describe, expect, it } from 'vitest';
import { load } from './entity-log.ts';
import { type Folding, folds } from './folds.ts';
import { type HostSettings, runtimeLimits } from './settings.ts';
import { fakeHost } from './testing/fake-host.ts';
import { type FakePorts, fakePorts } from './testing/fake-ports.ts';
import {
  deliveryOf,
  type FakeDelivery,
  job,
  jobCancel,
  pool,
  tenant,
  toolCall,
  trace,
} from './testing/messages.ts';
import { type Toy, toyDecider } from './testing/toy-decider.ts';

const queue: Queue = { service: 'manager', pool, lane: 'decide' };
const away = fail(fault('unavailable', 'away'));

const folding = (
  more: Partial<Folding<Toy, string, 'job.cancel'>> = {},
): Folding<Toy, string, 'job.cancel'> => ({
  decider: toyDecider,
  types: ['job.cancel'],
  queues: [queue],
  entityOf: () => ({ tenant, job }),
  traceOf: () => trace,
  ...more,
});

/** Starts a host, lays these before it, and lets some time pass. */
const hosted = async (
  fake: FakePorts,
  deliveries: readonly FakeDelivery[],
  more: Partial<Folding<Toy, string, 'job.cancel'>> = {},
  settings: Partial<HostSettings> = {},
) => {
  const host = fakeHost(fake, settings);
  expect(await folds(folding(more))(host)).toEqual(ok(undefined));
  fake.feed(queue, ...deliveries);
  await fake.clock.pass(100);
  return {
    host,
    async stop() {
      host.stopIntake();
      await fake.clock.pass(0);
      await host.nursery.settled();
    },
  };
};

const cancelOf = (fake: FakePorts, word: string, step = 1, how = {}): FakeDelivery =>
  deliveryOf(jobCancel(step, fake.clock.now(), word), fake.clock, how);

const cancels = (fake: FakePorts, ...words: readonly string[]): FakeDelivery[] =>
  words.map((word, step) => cancelOf(fake, word, step));

const causesOf = ({ entry }: Append): number => JSON.parse(new TextDecoder().decode(entry)).causes.length;

const said = (deliveries: readonly FakeDelivery[]): readonly string[] =>
  deliveries.map((one) => one.said.join());

describe('a decider host', () => {
  it('decides what lies before it together, publishes, and acks last', async () => {
    const fake = fakePorts();
    const deliveries = cancels(fake, 'one', 'two', 'three');
    const { stop } = await hosted(fake, deliveries);
    await stop();
    // One alone, for it came first; then what had come meanwhile, as one.
    expect(fake.given('journal.append').length).toBeLessThanOrEqual(2);
    expect([said(deliveries), fake.published.length]).toEqual([['ack', 'ack', 'ack'], 3]);
    expect(fake.given('subscription.close').length).toBe(1);
  });

  it('puts at most so many into one append, by number and by bytes', async () => {
    const fake = fakePorts();
    const deliveries = cancels(fake, ...'abcdefgh');
    const { stop } = await hosted(fake, deliveries, {}, { groupMax: 3 });
    await stop();
    const appended = fake.given('journal.append').map(([append]) => causesOf(append as Append)); // as it was given
    expect(Math.max(...appended)).toBe(3);
    expect(said(deliveries)).toEqual(Array(8).fill('ack'));
    const large = fakePorts();
    const body = new Uint8Array(runtimeLimits.groupBytesMax);
    const heavy = [1, 2, 3].map((step) => cancelOf(large, 'x', step, { body }));
    await (await hosted(large, heavy)).stop();
    expect(said(heavy)).toEqual(['ack', 'ack', 'ack']);
    expect(large.letters.length).toBe(3);
  });

  it('sets aside the one that breaks, and acks the others', async () => {
    const fake = fakePorts();
    const deliveries = cancels(fake, 'one', 'poison', 'two');
    await (await hosted(fake, deliveries)).stop();
    expect([said(deliveries), fake.letters.length]).toEqual([['ack', 'ack', 'ack'], 1]);
    expect(fake.letters[0]?.reason).toContain('poison');
  });

  it('does not ack a broken one whose dead letter is not stored', async () => {
    const fake = fakePorts();
    fake.answer('dead.put', away);
    const deliveries = cancels(fake, 'poison');
    await (await hosted(fake, deliveries)).stop();
    expect(said(deliveries)).toEqual(['nak 2000']);
  });

  it('gives all back when the turn failed, and decides them from the journal when they come again', async () => {
    const fake = fakePorts();
    fake.answer('bus.publish', away);
    const deliveries = cancels(fake, 'one');
    const { stop } = await hosted(fake, deliveries);
    expect(said(deliveries)).toEqual(['nak 2000']);
    const again = cancels(fake, 'one');
    fake.feed(queue, ...again);
    await fake.clock.pass(100);
    await stop();
    expect([said(again), fake.given('journal.append').length, fake.published.length]).toEqual([
      ['ack'],
      1,
      1,
    ]);
  });

  it('gives back what breaks on its journal, until its deadline: another build may be able to read that', async () => {
    const fake = fakePorts();
    const initial = (): Toy => {
      throw new Error('M8: unreadable');
    };
    const broken = { decider: { ...toyDecider, initial } };
    const { stop, host } = await hosted(fake, [], broken);
    const [young] = cancels(fake, 'one');
    const old = deliveryOf(
      jobCancel(2, fake.clock.now(), 'two', { since: fake.clock.now() - 700_000 }),
      fake.clock,
    );
    if (young === undefined) throw new Error('no delivery');
    fake.feed(queue, young, old);
    await fake.clock.pass(100);
    await stop();
    expect([said([young, old]), fake.letters.map(({ reason }) => reason)]).toEqual([
      ['nak 2000', 'ack'],
      ['its turn broke: Error: M8: unreadable'],
    ]);
    // One entity that cannot be read must not end the host for all others.
    expect(host.nursery.size()).toBe(0);
  });

  it('drops unhandled what lay in its own buffer for a whole ack wait', async () => {
    const fake = fakePorts();
    const stale = cancelOf(fake, 'one', 1, { receivedAt: fake.clock.now() - 6_000 });
    await (await hosted(fake, [stale])).stop();
    expect(said([stale])).toEqual(['']);
    expect(fake.calls.filter(({ call }) => call.startsWith('journal'))).toEqual([]);
  });
});

describe('an envelope that begins an entity', () => {
  const reads = (fake: FakePorts): number => fake.given('journal.last').length;

  it('is decided unread where it is fresh, and read for where it may have come before', async () => {
    const fake = fakePorts();
    await (await hosted(fake, cancels(fake, 'one'), { begins: ['job.cancel'] })).stop();
    expect([reads(fake), fake.given('journal.append').length]).toEqual([0, 1]);
    const other = fakePorts();
    const again = cancelOf(other, 'one', 1, { redelivered: true });
    await (await hosted(other, [again], { begins: ['job.cancel'] })).stop();
    expect([reads(other), said([again])]).toEqual([1, ['ack']]);
  });

  it('and has begun already counts once: its append says so', async () => {
    const fake = fakePorts();
    await (await hosted(fake, cancels(fake, 'one'), { begins: ['job.cancel'] })).stop();
    const copy = cancels(fake, 'one');
    await (await hosted(fake, copy, { begins: ['job.cancel'] })).stop();
    const loaded = await load(fake.ports, toyDecider, { tenant, job });
    expect([said(copy), loaded]).toMatchObject([['ack'], { value: { state: { words: ['one'] } } }]);
  });
});

describe('what a decider host cannot decide', () => {
  it('is set aside where nobody ever will, goes back where somebody else may', async () => {
    const fake = fakePorts();
    const headers = writeHeaders(jobCancel(1, fake.clock.now(), 'x').headers);
    const unread = cancelOf(fake, 'x', 1, { body: new Uint8Array([1]) });
    const headless = cancelOf(fake, 'x', 2, { headers: { ...headers, 'Mesh-Key': 'none' } });
    const newer = cancelOf(fake, 'x', 3, { headers: { ...headers, 'Mesh-V': '9' } });
    const other = deliveryOf(toolCall(4, fake.clock.now()), fake.clock);
    await (await hosted(fake, [unread, headless, newer, other])).stop();
    expect(said([unread, headless, newer, other])).toEqual(['ack', 'ack', 'nak 2000', 'ack']);
    const reasons = fake.letters.map(({ reason }) => reason);
    expect(reasons).toContain('its headers cannot be read');
    expect(reasons).toContain('nobody here listens to tool.call');
    expect([reasons.length, reasons.some((reason) => reason.startsWith('not JSON'))]).toEqual([3, true]);
  });
});

describe('an entity that nobody can read any more', () => {
  const lost = async (fake: FakePorts, answer: Result<void>) => {
    const told: unknown[] = [];
    const deliveries = cancels(fake, 'one');
    fake.answer('journal.last', fail(fault('invalid', 'entry 1: a value is gone', { source: 'gone' })));
    const onLost: Folding<Toy, string, 'job.cancel'>['onLost'] = async (_, entity, envelopes, why) => {
      told.push([entity, envelopes.map(({ type }) => type), why.detail]);
      return answer;
    };
    await (await hosted(fake, deliveries, { onLost })).stop();
    expect(told).toEqual([[{ tenant, job }, ['job.cancel'], 'entry 1: a value is gone']]);
    return deliveries;
  };

  it('is told to whoever waits for it, and its envelopes are done with', async () => {
    const fake = fakePorts();
    expect(said(await lost(fake, ok(undefined)))).toEqual(['ack']);
    expect(fake.given('journal.append')).toEqual([]);
  });

  it('is told again where that could not be said', async () => {
    const later = fail(fault('unavailable', 'away', { retry_after_ms: 300 }));
    expect(said(await lost(fakePorts(), later))).toEqual(['nak 300']);
  });
});

describe('who hears of turns', () => {
  const heard = async (fake: FakePorts, answers: readonly Result<void>[], words: readonly string[]) => {
    const turns: (readonly string[])[] = [];
    const order: string[] = [];
    const plan = [...answers];
    const deliveries = cancels(fake, ...words);
    const { stop } = await hosted(fake, deliveries, {
      onTurn: async (_, __, state, events) => {
        turns.push([...events]);
        order.push(
          `heard of ${state.words.length}, acked ${said(deliveries).filter((one) => one === 'ack').length}`,
        );
        return plan.shift() ?? ok(undefined);
      },
    });
    return { turns, order, deliveries, stop };
  };

  it('hears before the ack, also of one that brought nothing new', async () => {
    const fake = fakePorts();
    const { turns, order, stop } = await heard(fake, [], ['one']);
    fake.feed(queue, ...cancels(fake, 'one'));
    await fake.clock.pass(100);
    await stop();
    expect([turns, order[0]]).toEqual([[['one'], []], 'heard of 1, acked 0']);
  });

  it('and whose fault sends the envelopes back hears again', async () => {
    const fake = fakePorts();
    const { deliveries, stop } = await heard(
      fake,
      [fail(fault('unavailable', 'away', { retry_after_ms: 300 }))],
      ['one'],
    );
    await stop();
    expect(said(deliveries)).toEqual(['nak 300']);
  });
});

describe('the room of a decider host', () => {
  it('is shared by its queues, and bounds what it holds', async () => {
    const fake = fakePorts();
    const stuck = Promise.withResolvers<Result<unknown>>();
    fake.answer('journal.last', () => stuck.promise);
    const other: Queue = { service: 'manager', pool, lane: 'submit' };
    const { stop } = await hosted(fake, [], { queues: [queue, other] }, { heldMax: 4 });
    const deliveries = cancels(fake, ...'abcdefghij');
    fake.feed(queue, ...deliveries);
    await fake.clock.pass(100);
    expect(fake.left(queue)).toBe(6);
    stuck.resolve(ok(undefined));
    await fake.clock.pass(100);
    await stop();
    expect(said(deliveries)).toEqual(Array(10).fill('ack'));
  });

  it('cannot be had where nobody can subscribe', async () => {
    const fake = fakePorts();
    fake.answer('bus.subscribe', away);
    expect(await folds(folding())(fakeHost(fake))).toEqual(away);
  });
});
