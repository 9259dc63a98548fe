import { type EmbeddedSettings, embedded, seededRandom, virtualClock } from '@foldmesh/embedded';
import { openEmbedded } from '@foldmesh/embedded/internal';
import type { Result } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { next, publishCalls, takenWithin, unacked } from './bus-hands.ts';
import { tellOfPause } from './bus-standing.ts';
import { embeddedRig } from './embedded-rig.ts';
import { claim, keepUntil, lapse, win } from './inbox-hands.ts';
import { append, appendOf, textsOf } from './journal-hands.ts';
import { type Bench, type Contracted, faultOf, got, onBench } from './rig.ts';
import { bytesOf, claimOf, doneWith, samples } from './samples.ts';

const withSettings = (
  name: string,
  settings: Partial<EmbeddedSettings>,
  test: (bench: Bench<Contracted>) => Promise<void>,
): void => it(name, () => onBench(embeddedRig(1, {}, settings), test));

/** Microseconds that this process has computed since then; how long others did is no matter. */
const spent = (began: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(began);
  return user + system;
};

describe('the bus in memory', () => {
  withSettings(
    'a message above the limit is refused as too large, its headers counted',
    { messageBytesMax: 1_000 },
    async (bench) => {
      const { bus } = bench.ports;
      const small = bench.make.toolCall(1);
      got(await bus.publish(small));
      const large = { ...bench.make.toolCall(2), body: new Uint8Array(900) };
      expect(faultOf(await bus.publish(large))).toMatchObject({ kind: 'overflow' });
      expect(faultOf(await bus.publish(large)).retry_after_ms).toBeUndefined();
      expect(await unacked(bus, bench.make.gateway)).toBe(1);
    },
  );

  withSettings(
    'a full door turns submits away, and work that was accepted goes on',
    { doorMessagesMax: 2 },
    async (bench) => {
      const { bus } = bench.ports;
      const submits = ['a', 'b', 'c'].map((name) => bench.make.jobSubmit('c-1', bench.make.jobNamed(name)));
      const answers: Result<unknown>[] = [];
      for (const submit of submits) answers.push(await bus.publish(submit));
      expect(answers.map((answer) => (answer.ok ? 'stored' : answer.fault.kind))).toEqual([
        'stored',
        'stored',
        'throttled',
      ]);
      await publishCalls(bench, 5);
      const [taken] = await takenWithin(bench, submits[0]?.queue ?? bench.make.gateway, 1, bench.slackMs);
      got(await (taken?.ack() ?? Promise.reject(new Error('nothing lies at the door'))));
      expect(got(await bus.publish(submits[2] ?? bench.make.toolCall(9)))).toEqual({ duplicate: false });
    },
  );

  withSettings(
    'what no stream takes, and delays that are no whole milliseconds, are defects',
    {},
    async (bench) => {
      const { bus } = bench.ports;
      await expect(bus.publish({ ...bench.make.toolCall(1), subject: 'mesh.v1.nowhere' })).rejects.toThrow(
        'no stream takes',
      );
      await publishCalls(bench, 1);
      const held = await next(bench);
      expect(() => held.nak(0.5)).toThrow('whole milliseconds');
      expect(() => held.nak(-1)).toThrow('whole milliseconds');
    },
  );

  it('nothing sleeps in it unless somebody waits for something that will come', async () => {
    const make = samples('idle');
    const clock = virtualClock();
    const { bus } = embedded({ clock, random: seededRandom(1) });
    await bus.publish(make.toolCall(1));
    await using subscription = got(await bus.subscribe(make.gateway));
    await subscription.pull(1, new AbortController().signal);
    expect(clock.sleepers()).toBe(0);
    const stop = new AbortController();
    const waiting = subscription.pull(1, stop.signal);
    await clock.settle();
    expect(clock.sleepers()).toBe(1);
    stop.abort();
    await waiting;
    expect(clock.sleepers()).toBe(0);
  });

  it('a core listener that another closes while both are being told hears nothing more', async () => {
    const clock = virtualClock();
    const { bus } = embedded({ clock, random: seededRandom(1) });
    const heard: string[] = [];
    bus.listen('a', () => {
      heard.push('one');
      void other[Symbol.asyncDispose]();
    });
    const other = bus.listen('a', () => heard.push('other'));
    bus.cast('a', bytesOf(''));
    await clock.settle();
    expect(heard).toEqual(['one']);
  });

  it('ten thousand messages cost microseconds each, wherever they wait', async () => {
    const count = 10_000;
    const make = samples('many');
    const { bus } = embedded({ clock: virtualClock(), random: seededRandom(1) });
    const messages = Array.from({ length: count }, (_, step) => make.toolCall(step));
    const signal = new AbortController().signal;
    const began = process.cpuUsage();
    for (const message of messages) await bus.publish(message);
    await using subscription = got(await bus.subscribe(make.gateway));
    const held = await subscription.pull(count, signal);
    for (const delivery of held.toReversed()) await delivery.nak(0);
    const again = await subscription.pull(count, signal);
    for (const delivery of again.toReversed()) await delivery.ack();
    const microseconds = spent(began) / count;
    expect([held.length, again.length, await unacked(bus, make.gateway)]).toEqual([count, count, 0]);
    expect(microseconds).toBeLessThan(200);
  });
});

describe('the journal in memory', () => {
  withSettings(
    "an older server answers the retry of one's own append as stored",
    { ownRetry: 'stored' },
    async (bench) => {
      const entity = bench.make.entity();
      const [first = 0] = await append(bench, entity, ['a']);
      const again = await bench.ports.journal.append(appendOf(bench, entity, 'a', 0));
      expect(got(again)).toEqual({ kind: 'stored', seq: first });
      expect(await textsOf(bench, entity)).toEqual(['a']);
    },
  );

  withSettings("a newer server answers the retry of one's own append as a conflict", {}, async (bench) => {
    const entity = bench.make.entity();
    await append(bench, entity, ['a']);
    expect(got(await bench.ports.journal.append(appendOf(bench, entity, 'a', 0)))).toEqual({
      kind: 'conflict',
    });
  });

  withSettings(
    'after the duplicate window an id means nothing any more',
    { ownRetry: 'stored' },
    async (bench) => {
      const entity = bench.make.entity();
      const [first = 0] = await append(bench, entity, ['a']);
      await bench.advance(bench.duplicateWindowMs);
      expect(got(await bench.ports.journal.append(appendOf(bench, entity, 'a', 0)))).toEqual({
        kind: 'conflict',
      });
      expect(got(await bench.ports.journal.append(appendOf(bench, entity, 'a', first)))).toMatchObject({
        kind: 'stored',
      });
      expect(await textsOf(bench, entity)).toEqual(['a', 'a']);
    },
  );

  withSettings('an entry above the limit is refused as too large', { messageBytesMax: 10 }, async (bench) => {
    const entity = bench.make.entity();
    const wanted = { ...appendOf(bench, entity, 'a', 0), entry: new Uint8Array(11) };
    expect(faultOf(await bench.ports.journal.append(wanted)).kind).toBe('overflow');
    expect(got(await bench.ports.journal.last(entity))).toBeUndefined();
  });
});

describe('the inbox in memory', () => {
  withSettings('the number of strikes is a setting', { strikesMax: 1 }, async (bench) => {
    const id = bench.make.record(1);
    await win(bench, id, 'one');
    await lapse(bench);
    expect(await claim(bench, id, 'other')).toEqual({ kind: 'struck', strikes: 1 });
  });

  withSettings(
    'what nobody completes and nobody touches is forgotten in the end',
    { unfinishedKeepMs: 60_000 },
    async (bench) => {
      const id = bench.make.record(1);
      const { held } = await win(bench, id, 'one');
      await bench.advance(59_000);
      expect(got(await bench.ports.inbox.renew(held, bench.leaseMs))).toBe('held');
      await bench.advance(59_000);
      expect((await win(bench, id, 'other')).fresh).toBe(false);
      await bench.advance(60_000);
      expect((await win(bench, id, 'third')).fresh).toBe(true);
    },
  );

  it('a store that forgets all has another generation mark, and knows no earlier token, outcome or halt', async () => {
    const make = samples('t');
    const clock = virtualClock();
    const { ports, doors } = openEmbedded({ clock, random: seededRandom(1) });
    const { inbox } = ports;
    const won = async (step: number) => {
      const answer = got(await inbox.claim(claimOf(make.record(step), 'one', 6_000)));
      return answer.kind === 'won' ? answer : undefined;
    };
    const before = got(await inbox.generation());
    const first = await won(1);
    const done = { ...make.record(2), token: (await won(2))?.token ?? 0 };
    got(await inbox.complete(done, doneWith('x'), clock.now() + 60_000));
    got(await inbox.halt(make.tenant, make.job, clock.now() + 60_000));
    doors.forgetAll();
    expect(got(await inbox.generation())).not.toBe(before);
    expect(got(await inbox.renew({ ...make.record(1), token: first?.token ?? 0 }, 6_000))).toBe('lost');
    expect(await won(2)).toMatchObject({ fresh: true });
    expect((await won(1))?.token).toBeGreaterThan(first?.token ?? Number.POSITIVE_INFINITY);
  });

  withSettings('ten thousand records run out without a scan of them all', {}, async (bench) => {
    const { inbox } = bench.ports;
    const began = process.cpuUsage();
    for (let step = 0; step < 10_000; step++) {
      const { held } = await win(bench, bench.make.record(step), 'one');
      got(await inbox.complete(held, doneWith('x'), keepUntil(bench, 1 + (step % 100))));
    }
    expect(got(await inbox.peek(bench.make.record(99)))).toBeDefined();
    await bench.advance(101 * bench.leaseMs);
    for (let step = 0; step < 10_000; step++)
      expect(got(await inbox.peek(bench.make.record(step)))).toBeUndefined();
    expect(spent(began) / 10_000).toBeLessThan(500);
  });
});

describe('a queue in memory', () => {
  it('can be paused, as an operator pauses a consumer', async () => {
    const rig = embeddedRig(1);
    const clock = virtualClock();
    const { ports, doors } = openEmbedded({ clock, random: seededRandom(1) });
    const advance = (ms: number) => clock.sleep(ms);
    const bench = { ...rig.timings, ports: { ...ports, clock }, make: samples('t'), advance };
    await clock.run(tellOfPause(bench, doors.pause));
  });

  withSettings('that is the door says when it is full', { doorMessagesMax: 1 }, async (bench) => {
    const { make, ports } = bench;
    const closed = async () => got(await ports.bus.standing(make.manager('submit'))).closed;
    expect(await closed()).toBeUndefined();
    got(await ports.bus.publish(make.jobSubmit('c-1')));
    expect(await closed()).toBe('the door holds 1 messages');
  });
});

describe('blobs in memory', () => {
  it('bytes that no longer have their digest are not handed out', async () => {
    const make = samples('t');
    const { ports, doors } = openEmbedded({ clock: virtualClock(), random: seededRandom(1) });
    const { digest } = got(await ports.blobs.put(make.tenant, make.job, bytesOf('content')));
    doors.spoil(make.tenant, make.job, digest);
    expect(faultOf(await ports.blobs.get(make.tenant, make.job, digest))).toMatchObject({
      kind: 'invalid',
      detail: expect.stringContaining('another digest'),
    });
  });
});
