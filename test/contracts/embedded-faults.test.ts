import { embedded, type FaultName, type Faults, seededRandom, virtualClock } from '@foldmesh/embedded';
import type { Random } from '@foldmesh/ports';
import { describe, expect, it } from 'vitest';
import { isSilent, next, publishCalls, takenWithin, unacked } from './bus-hands.ts';
import { embeddedRig } from './embedded-rig.ts';
import { claim, keepUntil, win } from './inbox-hands.ts';
import { appendOf, textsOf } from './journal-hands.ts';
import { factOf } from './memory-contract.ts';
import { type Bench, type Contracted, faultOf, got, onBench } from './rig.ts';
import { bytesOf, doneWith, samples } from './samples.ts';

/** Declares what one fault does when it always falls. */
const always = (name: FaultName, what: string, test: (bench: Bench<Contracted>) => Promise<void>): void =>
  it(`${name}: ${what}`, async () => {
    let fell = 0;
    await onBench(
      embeddedRig(1, { [name]: 1 }, {}, (counts) => {
        fell = counts[name];
      }),
      test,
    );
    expect(fell).toBeGreaterThan(0);
  });

describe('faults of the bus', () => {
  always(
    'repeat',
    'a held message comes to the next puller at once, and never twice in one pull',
    async (bench) => {
      await publishCalls(bench, 2);
      const first = await takenWithin(bench, bench.make.gateway, 10, bench.slackMs);
      const second = await takenWithin(bench, bench.make.gateway, 10, bench.slackMs);
      expect(new Set(first.map(({ subject }) => subject)).size).toBe(2);
      expect(first.map(({ redelivered }) => redelivered)).toEqual([false, false]);
      expect(second.map(({ redelivered }) => redelivered)).toEqual([true, true]);
      for (const delivery of first) got(await delivery.ack());
      expect(await isSilent(bench, 2 * bench.ackWaitMs)).toBe(true);
    },
  );

  always('delay', 'a published message is there, and becomes visible later', async (bench) => {
    await publishCalls(bench, 1);
    expect(await unacked(bench.ports.bus, bench.make.gateway)).toBe(1);
    expect(await isSilent(bench, 0)).toBe(true);
    expect((await next(bench, 2_000)).redelivered).toBe(false);
  });

  always('reorder', 'a message is passed over by those behind it, and comes all the same', async (bench) => {
    await publishCalls(bench, 3);
    const taken = await takenWithin(bench, bench.make.gateway, 10, bench.slackMs);
    const subjects = taken.map(({ subject }) => subject);
    const published = [1, 2, 3].map((step) => bench.make.toolCall(step).subject);
    expect(subjects).not.toEqual(published);
    expect([...subjects].sort()).toEqual([...published].sort());
  });

  always('loseAck', 'it counts and is not answered, or is answered and does not count', async (bench) => {
    await publishCalls(bench, 40);
    const taken = await takenWithin(bench, bench.make.gateway, 40, bench.slackMs);
    const answers = await Promise.all(taken.map((delivery) => delivery.ack()));
    const answered = taken.filter((_, at) => answers[at]?.ok).map(({ subject }) => subject);
    expect(answered.length).toBeGreaterThan(5);
    expect(answered.length).toBeLessThan(35);
    await bench.advance(bench.ackWaitMs);
    const back = await takenWithin(bench, bench.make.gateway, 40, bench.slackMs);
    expect(back.map(({ subject }) => subject)).toEqual(answered);
  });

  always('losePublishReply', 'the message is stored and nobody says so', async (bench) => {
    const { bus } = bench.ports;
    expect(faultOf(await bus.publish(bench.make.toolCall(1))).kind).toBe('unanswered');
    expect(await unacked(bus, bench.make.gateway)).toBe(1);
  });

  always(
    'forgetDelay',
    'what was given back for long comes back at once, or after the ack wait',
    async (bench) => {
      const { make } = bench;
      await publishCalls(bench, 40);
      for (const delivery of await takenWithin(bench, make.gateway, 40, bench.slackMs))
        got(await delivery.nak(100 * bench.ackWaitMs));
      const atOnce = await takenWithin(bench, make.gateway, 40, bench.slackMs);
      await bench.advance(bench.ackWaitMs - 1);
      const later = await takenWithin(bench, make.gateway, 40, bench.slackMs);
      const subjects = [...atOnce, ...later].map(({ subject }) => subject);
      expect(new Set(subjects).size).toBe(40);
      expect(Math.min(atOnce.length, 40 - atOnce.length)).toBeGreaterThan(5);
    },
  );

  always('loseCast', 'a core message reaches nobody', async (bench) => {
    const heard: string[] = [];
    await using _ear = bench.ports.bus.listen('>', (_, subject) => heard.push(subject));
    bench.ports.bus.cast('a.b', bytesOf(''));
    await bench.advance(bench.slackMs);
    expect(heard).toEqual([]);
  });
});

describe('faults of the journal', () => {
  always('conflictOwn', 'an append is stored, and answered as a conflict', async (bench) => {
    const entity = bench.make.entity();
    expect(got(await bench.ports.journal.append(appendOf(bench, entity, 'a', 0)))).toEqual({
      kind: 'conflict',
    });
    expect(await textsOf(bench, entity)).toEqual(['a']);
  });

  always('loseAppendReply', 'an append is stored, and nobody says so', async (bench) => {
    const entity = bench.make.entity();
    expect(faultOf(await bench.ports.journal.append(appendOf(bench, entity, 'a', 0))).kind).toBe(
      'unanswered',
    );
    expect(await textsOf(bench, entity)).toEqual(['a']);
  });
});

describe('faults of the inbox', () => {
  always('loseClaimReply', 'a claim is made, and nobody says so', async (bench) => {
    const id = bench.make.record(1);
    const request = {
      ...id,
      owner: 'one',
      leaseMs: bench.leaseMs,
      print: bench.make.toolCall(1).headers.print,
      label: 'x',
    };
    expect(faultOf(await bench.ports.inbox.claim(request)).kind).toBe('unanswered');
    expect(got(await bench.ports.inbox.claim({ ...request, owner: 'other' })).kind).toBe('held');
  });

  always(
    'loseRecord',
    'a record vanishes: who held it has lost it, and the next claim is fresh',
    async (bench) => {
      const { inbox } = bench.ports;
      const id = bench.make.record(1);
      const mark = got(await inbox.generation());
      const first = await win(bench, id, 'one');
      expect(got(await inbox.renew(first.held, bench.leaseMs))).toBe('lost');
      await win(bench, id, 'two');
      const second = await win(bench, id, 'three');
      expect(second).toMatchObject({ fresh: true, strikes: 0, tries: 0 });
      expect(second.token).toBeGreaterThan(first.token);
      expect(got(await inbox.complete(second.held, doneWith('x'), keepUntil(bench)))).toBe('lost');
      expect((await claim(bench, id, 'four')).kind).toBe('won');
      expect(got(await inbox.generation())).toBe(mark);
    },
  );
});

describe('faults of every port', () => {
  always('slow', 'a call takes its time, before its effect and after it', async (bench) => {
    const before = bench.ports.clock.monotonic();
    got(await bench.ports.index.put('a', 1));
    const took = bench.ports.clock.monotonic() - before;
    expect(took).toBeGreaterThanOrEqual(2);
    expect(took).toBeLessThanOrEqual(400);
  });

  it('unavailable: a call does nothing and says when to ask again', async () => {
    const make = samples('t');
    const clock = virtualClock();
    const { bus, injected } = embedded({ clock, random: drawing(0, 0.99), faults: { unavailable: 0.5 } });
    expect(faultOf(await bus.publish(make.toolCall(1)))).toMatchObject({
      kind: 'unavailable',
      retry_after_ms: 100,
    });
    expect(await unacked(bus, make.gateway)).toBe(0);
    expect(injected().unavailable).toBe(1);
  });

  it('unavailable: it may be any call of any port', async () => {
    const make = samples('t');
    const clock = virtualClock();
    const { bus, journal, inbox, blobs, index, dead, memory } = embedded({
      clock,
      random: seededRandom(1),
      faults: { unavailable: 1 },
    });
    const held = { ...make.record(1), token: 1 };
    const answers = await Promise.all([
      bus.publish(make.toolCall(1)),
      bus.subscribe(make.gateway),
      bus.standing(make.gateway),
      bus.purge(make.tenant, make.job),
      journal.append({ entity: make.entity(), entry: bytesOf('a'), expected: 0, id: make.appendId('a') }),
      journal.last(make.entity()),
      journal.at(make.entity(), 1),
      journal.read(make.entity(), 0, 1),
      inbox.renew(held, 1),
      inbox.start(held),
      inbox.complete(held, doneWith('x'), 1),
      inbox.release(held, 'try'),
      inbox.peek(held),
      inbox.halt(make.tenant, make.job, 1),
      inbox.generation(),
      blobs.put(make.tenant, make.job, bytesOf('a')),
      index.put('a', 1),
      index.list('a'),
      dead.put(make.deadLetter('a')),
      dead.list(),
      memory.write(factOf({ make }, 1)),
      memory.query({ tenant: make.tenant, limit: 1 }),
    ]);
    expect(answers.map((answer) => faultOf<unknown>(answer).kind)).toEqual(answers.map(() => 'unavailable'));
  });

  it('a rate that is none is refused by name', () => {
    for (const rate of [-0.1, 1.1, Number.NaN]) {
      const faults: Partial<Faults> = { loseAck: rate };
      expect(() => embedded({ clock: virtualClock(), random: seededRandom(1), faults })).toThrow('loseAck');
    }
  });
});

/** Chance that draws what it is told to, and the last of it for ever. */
const drawing = (...floats: readonly number[]): Random => {
  const left = [...floats];
  return {
    float: () => (left.length > 1 ? left.shift() : left[0]) ?? 0,
    hex: (bytes) => '0'.repeat(2 * bytes),
  };
};
