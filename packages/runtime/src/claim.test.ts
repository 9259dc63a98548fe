import { type Digest, ok, sha256Hex } from '@foldmesh/envelope';
import { jobLimits } from '@foldmesh/job';
import { describe, expect, it } from 'vitest';
import { away, type Case, carry, done, outcomeOf } from './testing/carry-call.ts';
import { type FakePorts, fakePorts } from './testing/fake-ports.ts';
import { keyAt, toolCall } from './testing/messages.ts';
import type { InHand, Run, Standing } from './work.ts';

const open = (mark: string | undefined): Standing => ({ kind: 'open', mark: async () => ok(mark) });

describe('a claim that is won', () => {
  it('is run, completed and said; the record lives until the deadline and one ack wait', async () => {
    const fake = fakePorts();
    const result = await carry(fake, { which: { deadline: 1_800_000_030_000 } });
    const stored = { outcome: { kind: 'done', output: { value: 'result' } } };
    expect([result.done, result.runs]).toEqual([{ kind: 'settled', stored, strikes: 0 }, 1]);
    expect(fake.given('inbox.complete')).toEqual([
      [{ type: 'tool.call', key: keyAt(1), token: 1 }, stored, 1_800_000_036_000],
    ]);
  });

  it('is claimed by an owner of its own each time', async () => {
    const fake = fakePorts();
    let drawn = 0;
    const ports = { ...fake.ports, random: { float: () => 0, hex: () => `${drawn++}` } };
    for (let n = 0; n < 2; n++) await carry({ ...fake, ports });
    const owners = fake.given('inbox.claim').map(([request]) => (request as { owner: string }).owner); // a claim's request
    expect(new Set(owners).size).toBe(2);
  });

  it('of what may not happen twice is remembered for as long as a job can last', async () => {
    const fake = fakePorts();
    await carry(fake, { unsafe: true });
    const until = fake.given('inbox.complete')[0]?.[2];
    expect(until).toBe(1_800_000_000_000 + jobLimits.wallMsMax + 6_000);
  });
});

describe('a claim that is not won', () => {
  const cases = [
    [
      { kind: 'held', leaseLeftMs: 1_234 },
      { kind: 'hand_back', delayMs: 1_234 },
    ],
    [
      { kind: 'settled', outcome: { outcome: { kind: 'cancelled' }, extra: 1 } },
      { kind: 'settled', stored: { outcome: { kind: 'cancelled' }, extra: 1 }, strikes: 0 },
    ],
    [
      { kind: 'reused', label: 'first' },
      { kind: 'reused', label: 'first' },
    ],
    [{ kind: 'halted' }, { kind: 'settled', stored: { outcome: { kind: 'cancelled' } }, strikes: 0 }],
  ] as const;
  for (const [claim, said] of cases)
    it(`because it is ${claim.kind} runs nothing`, async () => {
      const fake = fakePorts();
      fake.answer('inbox.claim', ok(claim));
      const result = await carry(fake);
      expect([result.done, result.runs]).toEqual([said, 0]);
    });

  it('because it has struck out says so, with the strikes', async () => {
    const fake = fakePorts();
    fake.answer('inbox.claim', ok({ kind: 'struck', strikes: 4 }));
    const result = await carry(fake);
    expect(result.done).toMatchObject({ strikes: 4, stored: { outcome: { fault: { source: 'strikes' } } } });
    expect(result.runs).toBe(0);
  });

  it('because the store is away fails closed', async () => {
    const fake = fakePorts();
    fake.answer('inbox.claim', away);
    const result = await carry(fake);
    expect([result.done, result.runs]).toEqual([{ kind: 'hand_back', delayMs: undefined }, 0]);
  });
});

describe('a store that may have forgotten', () => {
  const notFresh: readonly Case[] = [{ how: { redelivered: true } }, { which: { epoch: 1 } }];

  it('is not doubted where the envelope is fresh', async () => {
    const result = await carry(fakePorts(), { unsafe: true });
    expect([result.asked, result.runs]).toEqual([0, 1]);
  });

  it('is asked about by the journal: what is answered there is acked in silence', async () => {
    for (const one of notFresh) {
      const fake = fakePorts();
      const result = await carry(fake, { ...one, standing: { kind: 'answered' } });
      expect([result.done, result.runs]).toEqual([{ kind: 'silent', ack: true }, 0]);
      expect(fake.given('inbox.release')[0]?.[1]).toBe('nothing');
    }
  });

  it('and whoever waits here and now for what their job has given up is told, to come again with nothing', async () => {
    for (const one of notFresh) {
      const which = { ...one.which, reply_to: 'caller' };
      const result = await carry(fakePorts(), { ...one, which, standing: { kind: 'answered' } });
      expect(result.runs).toBe(0);
      expect(outcomeOf(result)).toMatchObject({
        kind: 'failed',
        fault: { source: 'given_up', retry_after_ms: 0 },
      });
    }
  });

  it('does not keep what may be asked twice from running, and its mark is not read for it', async () => {
    for (const one of notFresh) {
      const fake = fakePorts();
      const result = await carry(fake, {
        ...one,
        standing: { kind: 'open', mark: () => Promise.reject(new Error('read')) },
      });
      expect([outcomeOf(result), result.runs]).toMatchObject([{ kind: 'done' }, 1]);
    }
  });

  it('is doubted for what is unsafe and no longer young: the stream has forgotten whether it was published before', async () => {
    const since = (agoMs: number) => ({ since: fakePorts().clock.now() - agoMs });
    for (const [agoMs, asked] of [
      [4_999, 0],
      [5_000, 1],
      [-5_000, 1],
    ] as const) {
      const old = { which: since(agoMs), standing: open('mark-1') };
      expect((await carry(fakePorts(), { ...old, unsafe: true })).asked).toBe(asked);
      expect((await carry(fakePorts(), old)).asked).toBe(0);
    }
  });

  it('lets what may not run only on the mark under which it was asked', async () => {
    for (const one of notFresh) {
      expect((await carry(fakePorts(), { ...one, unsafe: true, standing: open('mark-1') })).runs).toBe(1);
      for (const mark of ['mark-0', undefined]) {
        const result = await carry(fakePorts(), { ...one, unsafe: true, standing: open(mark) });
        expect([outcomeOf(result), result.runs]).toMatchObject([{ kind: 'unknown' }, 0]);
      }
    }
  });

  it('is doubted for what may not happen twice although it has a record: that is of this life alone', async () => {
    const fake = fakePorts();
    fake.answer('inbox.claim', ok({ kind: 'won', token: 1, strikes: 1, tries: 0, fresh: false }));
    const result = await carry(fake, { unsafe: true, how: { redelivered: true }, standing: open('mark-0') });
    expect([outcomeOf(result), result.runs]).toMatchObject([{ kind: 'unknown' }, 0]);
  });

  it('is not decided about without the journal: the message goes back', async () => {
    const fake = fakePorts();
    const result = await carry(fake, { how: { redelivered: true } });
    expect([result.done, result.runs]).toEqual([{ kind: 'hand_back', delayMs: undefined }, 0]);
    const unmarked: Standing = { kind: 'open', mark: async () => away };
    const other = await carry(fake, { how: { redelivered: true }, unsafe: true, standing: unmarked });
    expect([other.done, other.runs]).toEqual([{ kind: 'hand_back', delayMs: undefined }, 0]);
  });
});

describe('past the deadline', () => {
  const late = { deadline: 1_799_999_999_999 };
  const peeked = (fake: FakePorts, more: object) =>
    fake.answer('inbox.peek', async () => ok({ print: printOf(fake), label: 'first', ...more }));
  const printOf = (fake: FakePorts): Digest => toolCall(1, fake.clock.now()).headers.print;

  it('nothing is claimed or run; what is known is said', async () => {
    const fake = fakePorts();
    peeked(fake, { stored: { outcome: { kind: 'done', output: { value: 1 } } } });
    const result = await carry(fake, { which: late });
    expect([outcomeOf(result), result.runs]).toEqual([{ kind: 'done', output: { value: 1 } }, 0]);
    expect(fake.given('inbox.claim')).toEqual([]);
  });

  it('nothing was begun where it is fresh, else it may have been', async () => {
    expect(outcomeOf(await carry(fakePorts(), { which: late }))).toMatchObject({
      fault: { kind: 'unavailable', source: 'expired' },
    });
    expect(outcomeOf(await carry(fakePorts(), { which: { ...late, epoch: 1 } }))).toMatchObject({
      fault: { kind: 'unanswered', source: 'expired' },
    });
  });

  it('an effect that was begun and has not ended is unknown', async () => {
    const fake = fakePorts();
    peeked(fake, {});
    expect(outcomeOf(await carry(fake, { which: late, unsafe: true }))).toMatchObject({ kind: 'unknown' });
    peeked(fake, {});
    expect(outcomeOf(await carry(fake, { which: late }))).toMatchObject({ kind: 'failed' });
  });

  it('the result of another content is not the answer', async () => {
    const fake = fakePorts();
    fake.answer(
      'inbox.peek',
      ok({ print: sha256Hex('other'), label: 'first', stored: { outcome: { kind: 'cancelled' } } }),
    );
    expect((await carry(fake, { which: late })).done).toEqual({ kind: 'reused', label: 'first' });
  });

  it('nobody knows without the store', async () => {
    const fake = fakePorts();
    fake.answer('inbox.peek', away);
    expect((await carry(fake, { which: late })).done).toEqual({ kind: 'hand_back', delayMs: undefined });
  });
});

describe('a claim with strikes', () => {
  it('runs alone from the second on, and not at all when its deadline passes while it waits for that', async () => {
    const fake = fakePorts();
    const strikes = async (count: number, waitMs: number) => {
      fake.answer('inbox.claim', ok({ kind: 'won', token: 1, strikes: count, tries: 0, fresh: false }));
      let lonely = 0;
      const alone = async (): Promise<void> => {
        lonely += 1;
        await fake.clock.sleep(waitMs);
      };
      const hold = (hand: InHand): InHand => ({ ...hand, slot: { alone, release: () => {} } });
      const which = { deadline: fake.clock.now() + 5_000 };
      const said = outcomeOf(await carry(fake, { which, hold }));
      return [lonely, said];
    };
    expect(await strikes(1, 0)).toMatchObject([0, { kind: 'done' }]);
    expect(await strikes(2, 1_000)).toMatchObject([1, { kind: 'done' }]);
    expect(await strikes(2, 10_000)).toMatchObject([1, { kind: 'failed', fault: { source: 'expired' } }]);
    // Each gives its claim up before it waits, and the last one again when it is too late.
    expect(fake.given('inbox.release').map(([, made]) => made)).toEqual(['nothing', 'nothing', 'nothing']);
  });

  it('holds no claim while it waits to be alone: what kills the process meanwhile is somebody else', async () => {
    const fake = fakePorts();
    const story: string[] = [];
    const won = { kind: 'won', strikes: 3, tries: 0, fresh: false } as const;
    let token = 0;
    for (let times = 0; times < 2; times++)
      fake.answer('inbox.claim', async () => {
        token += 1;
        story.push(`claim ${token}`);
        return ok({ ...won, token });
      });
    fake.answer('inbox.release', async () => {
      story.push(`release ${token}`);
      return ok('held');
    });
    const alone = async (): Promise<void> => void story.push('alone');
    const hold = (hand: InHand): InHand => ({ ...hand, slot: { alone, release: () => {} } });
    const run: Run = async () => {
      story.push('run');
      return done();
    };
    await carry(fake, { hold, run });
    expect(story).toEqual(['claim 1', 'release 1', 'alone', 'claim 2', 'run']);
  });

  it('says nothing when the hold was lost while it waited, and leaves the work to a copy that was faster', async () => {
    const fake = fakePorts();
    const waits = async (isLost: boolean) => {
      fake.answer('inbox.claim', ok({ kind: 'won', token: 1, strikes: 2, tries: 0, fresh: false }));
      let lost = false;
      const alone = async (): Promise<void> => {
        lost = isLost;
        if (!isLost) fake.answer('inbox.claim', ok({ kind: 'held', leaseLeftMs: 99 }));
      };
      const hold = (hand: InHand): InHand => ({
        ...hand,
        slot: { alone, release: () => {} },
        hold: { ...hand.hold, lost: () => lost },
      });
      const { done: said, runs } = await carry(fake, { hold });
      return [said, runs, fake.given('inbox.claim').length];
    };
    expect(await waits(true)).toEqual([{ kind: 'silent', ack: false }, 0, 1]);
    expect(await waits(false)).toEqual([{ kind: 'hand_back', delayMs: 99 }, 0, 3]);
  });

  it('knows them, and that it may have run before', async () => {
    const fake = fakePorts();
    const seen: unknown[] = [];
    const look: Run = async (call) => {
      seen.push([call.strikes, call.again]);
      return done();
    };
    await carry(fake, { run: look });
    fake.answer('inbox.claim', ok({ kind: 'won', token: 1, strikes: 1, tries: 0, fresh: false }));
    await carry(fake, { run: look });
    fake.answer('inbox.claim', ok({ kind: 'won', token: 1, strikes: 0, tries: 1, fresh: false }));
    await carry(fake, { run: look });
    await carry(fake, { run: look, which: { attempt: 2 } });
    expect(seen).toEqual([
      [0, false],
      [1, true],
      [0, true],
      [0, true],
    ]);
  });
});
