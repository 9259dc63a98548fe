import { fail, fault, type Json, limits, ok } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { away, carry, done, outcomeOf } from './testing/carry-call.ts';
import { fakePorts } from './testing/fake-ports.ts';
import type { Done, InHand, Ran, Run } from './work.ts';

const failing =
  (kind: Parameters<typeof fault>[0], retry_after_ms?: number): Run =>
  async () => ({
    kind: 'failed',
    fault: fault(kind, 'why', retry_after_ms === undefined ? {} : { retry_after_ms }),
  });

const startedThen =
  (run: Run): Run =>
  async (call) => {
    await call.start();
    return run(call);
  };

describe('a run that is done', () => {
  it('keeps a large result elsewhere, and says where', async () => {
    const fake = fakePorts();
    const result = await carry(fake, { inlineBytesMax: 5 });
    expect(outcomeOf(result)).toMatchObject({ kind: 'done', output: { ref: { bytes: 8 } } });
  });

  it('counts with what no message can carry taken out of its result', async () => {
    const half = '😀'.slice(0, 1);
    const result = await carry(fakePorts(), {
      unsafe: true,
      run: async () => done({ said: `good ${half}` }),
    });
    expect(outcomeOf(result)).toEqual({ kind: 'done', output: { value: { said: 'good \uFFFD' } } });
  });

  it('of a result that cannot be: too large, too deep', async () => {
    let deep: Json = 1;
    for (let level = 0; level < limits.nestingMax; level++) deep = [deep];
    for (const output of ['x'.repeat(limits.bodyBytesMax), deep]) {
      const fake = fakePorts();
      expect(outcomeOf(await carry(fake, { run: async () => done(output) }))).toMatchObject({
        kind: 'failed',
        fault: { kind: 'overflow' },
      });
    }
  });

  it('is given back when its result cannot be stored; once an effect has left, that is unknown', async () => {
    const fake = fakePorts();
    fake.answer('blobs.put', away, away);
    expect((await carry(fake, { inlineBytesMax: 1 })).done).toEqual({
      kind: 'hand_back',
      delayMs: undefined,
    });
    const started = await carry(fake, {
      unsafe: true,
      inlineBytesMax: 1,
      run: async (call) => {
        await call.start();
        return done();
      },
    });
    expect(outcomeOf(started)).toMatchObject({
      kind: 'unknown',
      open: { call: 'test.tool 1', detail: 'away' },
    });
  });

  it('is completed for as long as it is held, and not said before', async () => {
    const fake = fakePorts();
    const soon = fail(fault('unavailable', 'away', { retry_after_ms: 300 }));
    fake.answer('inbox.complete', soon, soon, soon);
    expect(outcomeOf(await carry(fake))).toMatchObject({ kind: 'done' });
    expect(fake.given('inbox.complete').length).toBe(4);
  });

  it('that cannot be completed is not said', async () => {
    const fake = fakePorts();
    fake.answer('inbox.complete', away);
    expect((await carry(fake)).done).toEqual({ kind: 'hand_back', delayMs: undefined });
    fake.answer('inbox.complete', ok('lost'));
    expect((await carry(fake)).done).toEqual({ kind: 'silent', ack: false });
  });
});

describe('a run that fails', () => {
  it('for good is remembered', async () => {
    const fake = fakePorts();
    expect(outcomeOf(await carry(fake, { run: failing('refused') }))).toMatchObject({
      fault: { kind: 'refused' },
    });
    expect([fake.given('inbox.complete').length, fake.given('inbox.release').length]).toEqual([1, 0]);
  });

  it('for now is said, counted as a try, and not remembered as done', async () => {
    const fake = fakePorts();
    expect(outcomeOf(await carry(fake, { run: failing('unavailable', 100) }))).toMatchObject({
      fault: { kind: 'unavailable' },
    });
    expect([fake.given('inbox.complete').length, fake.given('inbox.release')[0]?.[1]]).toEqual([0, 'try']);
  });

  it('for longer goes back until its turn, where it took nothing on and there is time', async () => {
    expect((await carry(fakePorts(), { run: failing('throttled', 5_000) })).done).toEqual({
      kind: 'hand_back',
      delayMs: 5_000,
    });
    expect((await carry(fakePorts(), { run: failing('unanswered', 5_000) })).done.kind).toBe('settled');
    expect((await carry(fakePorts(), { run: failing('throttled', 60_000) })).done.kind).toBe('settled');
  });

  it('for longer goes back with its try counted, where one was made, and not at all after the last', async () => {
    const fake = fakePorts();
    const later = fault('throttled', 'too many', { retry_after_ms: 5_000 });
    const until = fake.clock.now() + 5_000;
    const tried = await carry(fake, { run: async () => ({ kind: 'failed', fault: later, made: 'try' }) });
    expect(tried.done).toEqual({ kind: 'hand_back', delayMs: 5_000 });
    // With what it was told, and until when: whoever asks why sees it there.
    expect(fake.given('inbox.release')[0]?.[1]).toEqual({ fault: later, until });
    const last = await carry(fake, { run: async () => ({ kind: 'failed', fault: later, made: 'last_try' }) });
    expect(outcomeOf(last)).toMatchObject({ fault: later });
    expect([fake.given('inbox.complete').length, fake.given('inbox.release').length]).toEqual([1, 1]);
  });

  it('is not said when the claim was lost on the way', async () => {
    const fake = fakePorts();
    fake.answer('inbox.release', ok('lost'), ok('lost'));
    expect((await carry(fake, { run: failing('unavailable', 100) })).done).toEqual({
      kind: 'silent',
      ack: false,
    });
    expect((await carry(fake, { run: failing('throttled', 5_000) })).done).toEqual({
      kind: 'silent',
      ack: false,
    });
  });

  it('after an effect has begun is unknown where nobody answered, and else what it says', async () => {
    expect(
      outcomeOf(await carry(fakePorts(), { unsafe: true, run: startedThen(failing('unanswered')) })),
    ).toEqual({
      kind: 'unknown',
      open: { call: 'test.tool 1', detail: 'why' },
    });
    expect(
      outcomeOf(await carry(fakePorts(), { unsafe: true, run: startedThen(failing('refused')) })),
    ).toMatchObject({
      kind: 'failed',
    });
  });
});

describe('a run that is told to stop', () => {
  const failedRan: Ran = { kind: 'failed', fault: fault('unanswered', 'stopped') };

  const stop = async (cause: 'cancelled' | 'draining' | 'lost', ran: Ran, unsafe = false): Promise<Done> => {
    let inHand: InHand | undefined;
    const run: Run = async () => {
      inHand?.hold.abort(cause);
      return ran;
    };
    const hold = (hand: InHand): InHand => {
      inHand = hand;
      return hand;
    };
    const carried = await carry(fakePorts(), { unsafe, hold, run: unsafe ? startedThen(run) : run });
    return carried.done;
  };

  it('by a cancel has been cancelled, unless it was done: last words count', async () => {
    expect(await stop('cancelled', failedRan)).toMatchObject({ stored: { outcome: { kind: 'cancelled' } } });
    expect(await stop('cancelled', done())).toMatchObject({ stored: { outcome: { kind: 'done' } } });
  });

  it('by a shutdown goes back at once, and costs nothing', async () => {
    expect(await stop('draining', failedRan)).toEqual({ kind: 'hand_back', delayMs: 0 });
    expect(await stop('draining', done())).toMatchObject({ stored: { outcome: { kind: 'done' } } });
  });

  it('after an effect has begun is unknown, and never goes back', async () => {
    for (const cause of ['cancelled', 'draining'] as const)
      expect(await stop(cause, failedRan, true)).toMatchObject({ stored: { outcome: { kind: 'unknown' } } });
  });

  it('because its hold is lost says nothing, whatever came of it', async () => {
    for (const ran of [failedRan, done()])
      expect(await stop('lost', ran)).toEqual({ kind: 'silent', ack: false });
  });
});

describe('an effect that is about to leave', () => {
  const starting: Run = async (call) => {
    const grip = await call.start();
    return grip.ok && grip.value === 'held'
      ? done()
      : { kind: 'failed', fault: fault('refused', 'not ours') };
  };

  it('does not leave when the claim was lost or its job cancelled meanwhile', async () => {
    const fake = fakePorts();
    fake.answer('inbox.start', ok('lost'));
    expect((await carry(fake, { unsafe: true, run: starting })).done).toEqual({ kind: 'silent', ack: false });
    fake.answer('inbox.start', ok('halted'));
    expect(outcomeOf(await carry(fake, { unsafe: true, run: starting }))).toEqual({ kind: 'cancelled' });
  });
});
