import { type FaultName, openEmbedded, seededRandom, virtualClock, type Watch } from '@foldmesh/embedded';
import { describe, expect, it } from 'vitest';
import { isSilent, next, publishCalls, unacked } from './bus-hands.ts';
import { embeddedRig } from './embedded-rig.ts';
import { keepUntil, win } from './inbox-hands.ts';
import { appendOf, textsOf } from './journal-hands.ts';
import { type Bench, type Contracted, faultOf, got, onBench } from './rig.ts';
import { bytesOf, claimOf, doneWith, samples } from './samples.ts';

/** Longer than any word is held back. */
const lateMsMax = 15_000;

/** Declares what one fault does when it always falls. */
const always = (name: FaultName, what: string, test: (bench: Bench<Contracted>) => Promise<void>): void =>
  it(`${name}: ${what}`, () => onBench(embeddedRig(1, { [name]: 1 }), test));

describe('words that come late', () => {
  always('lateAck', 'an ack deletes the message under whoever holds it by then', async (bench) => {
    await publishCalls(bench, 1);
    const first = await next(bench);
    got(await first.ack());
    expect(await unacked(bench.ports.bus, bench.make.gateway)).toBe(1);
    await bench.advance(lateMsMax);
    expect(await unacked(bench.ports.bus, bench.make.gateway)).toBe(0);
    expect(await isSilent(bench, 2 * bench.ackWaitMs)).toBe(true);
  });

  always('lateWorking', 'it keeps the message from whoever should have it by then', async (bench) => {
    await publishCalls(bench, 1);
    const held = await next(bench);
    for (let beat = 0; beat < 20; beat++) got(await held.working());
    // Heard in time they would keep it for one ack wait, and no longer.
    expect(await isSilent(bench, 2 * bench.ackWaitMs)).toBe(true);
    expect((await next(bench, lateMsMax)).redelivered).toBe(true);
  });
});

describe('replies that get lost, lists that are old, streams that are full', () => {
  always('loseGripReply', 'what a holder says is noted, and nobody says so', async (bench) => {
    const { inbox } = bench.ports;
    const { held } = await win(bench, bench.make.record(1), 'one');
    expect(faultOf(await inbox.renew(held, bench.leaseMs)).kind).toBe('unanswered');
    expect(faultOf(await inbox.complete(held, doneWith('x'), keepUntil(bench))).kind).toBe('unanswered');
    expect(got(await inbox.complete(held, doneWith('x'), keepUntil(bench)))).toBe('held');
    expect(got(await inbox.peek(held))?.stored).toEqual(doneWith('x'));
  });

  always('staleIndex', 'a list shows what was there a moment ago, and later what is', async (bench) => {
    const { index } = bench.ports;
    got(await index.put('a', 'old'));
    await bench.advance(lateMsMax);
    got(await index.put('a', 'new'));
    expect(got(await index.list('a'))).toEqual([{ subject: 'a', value: 'old' }]);
    got(await index.put('b', 'new'));
    expect(got(await index.list('b'))).toEqual([]);
    await bench.advance(lateMsMax);
    expect(got(await index.list('a'))).toEqual([{ subject: 'a', value: 'new' }]);
  });

  always(
    'full',
    'neither stream nor journal takes anything, and both say when to ask again',
    async (bench) => {
      const { bus, journal } = bench.ports;
      const entity = bench.make.entity();
      const refused = { kind: 'throttled', retry_after_ms: 1_000 };
      expect(faultOf(await bus.publish(bench.make.toolCall(1)))).toMatchObject(refused);
      expect(faultOf(await journal.append(appendOf(bench, entity, 'a', 0)))).toMatchObject(refused);
      expect(await unacked(bus, bench.make.gateway)).toBe(0);
      expect(await textsOf(bench, entity)).toEqual([]);
    },
  );
});

describe('a replica of the inbox that takes over', () => {
  const lagMs = 2_000;
  const make = samples('replica');
  const leaseMs = 6_000;

  it('has what was written before its lag, and says that it is another', async () => {
    const clock = virtualClock();
    const { ports, doors } = openEmbedded({
      clock,
      random: seededRandom(1),
      settings: { replicaLagMs: lagMs },
    });
    await clock.run(
      (async () => {
        const mark = got(await ports.inbox.generation());
        expect(got(await ports.inbox.claim(claimOf(make.record(1), 'one', leaseMs))).kind).toBe('won');
        got(await ports.inbox.halt(make.tenant, make.job, clock.now() + 60_000));
        for (let step = 0; step < 3; step++) {
          await clock.sleep(lagMs);
          got(await ports.inbox.peek(make.record(1)));
        }
        expect(
          got(
            await ports.inbox.claim(
              claimOf(make.record(2, 'tool.call', { job: make.otherJob }), 'one', leaseMs),
            ),
          ).kind,
        ).toBe('won');
        doors.failOver();
        expect(got(await ports.inbox.generation())).not.toBe(mark);
        expect(got(await ports.inbox.peek(make.record(1)))).toBeDefined();
        expect(doors.isHalted(make.tenant, make.job)).toBe(true);
        expect(
          got(await ports.inbox.peek(make.record(2, 'tool.call', { job: make.otherJob }))),
        ).toBeUndefined();
        expect(doors.leases()).toBe(0);
      })(),
    );
  });
});

describe('whoever watches the stores', () => {
  it('hears of what is stored when it is, whatever its caller is told', async () => {
    const heard: string[] = [];
    const hear = (what: string) => (): void => void heard.push(what);
    const watch: Partial<Watch> = {
      appended: hear('appended'),
      queued: hear('queued'),
      left: hear('left'),
      dropped: hear('dropped'),
      indexed: hear('indexed'),
      kept: hear('kept'),
      parked: hear('parked'),
      strike: hear('strike'),
    };
    const make = samples('watch');
    const clock = virtualClock();
    const faults = { losePublishReply: 1, loseAppendReply: 1 };
    const { ports } = openEmbedded({ clock, random: seededRandom(1), faults, watch });
    await clock.run(
      (async () => {
        faultOf(await ports.bus.publish(make.toolCall(1)));
        faultOf(await ports.bus.publish(make.toolCall(1)));
        const entry = { entity: make.entity(), entry: bytesOf('a'), expected: 0, id: make.appendId('a') };
        faultOf(await ports.journal.append(entry));
        got(await ports.index.put('a', 1));
        got(await ports.blobs.put(make.tenant, make.job, bytesOf('a')));
        got(await ports.dead.put(make.deadLetter('a')));
        expect(got(await ports.bus.purge(make.tenant, make.job))).toBe(1);
        got(await ports.inbox.claim(claimOf(make.record(1), 'one', 1_000)));
        await clock.sleep(1_001);
        got(await ports.inbox.claim(claimOf(make.record(1), 'two', 1_000)));
      })(),
    );
    expect(heard).toEqual(['queued', 'dropped', 'appended', 'indexed', 'kept', 'parked', 'left', 'strike']);
  });
});
