import { fail, fault, ok, type Result } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import type { Call, Handler } from '../call.ts';
import { callOf } from '../testing/fake-host.ts';
import { handClock } from '../testing/hand-clock.ts';
import { timeout } from './timeout.ts';

const graceMs = 1_000;

const bench = (again = true) => {
  const clock = handClock();
  const limited = (handler: Handler<number, string>) =>
    timeout<number, string>(
      clock,
      (ms) => ms,
      () => again,
      graceMs,
    )(handler);
  return { clock, limited };
};

const answersAfter =
  (
    clock: { sleep(ms: number, signal?: AbortSignal): Promise<void> },
    ms: number,
    result: Result<string>,
    listens = true,
  ): Handler<number, string> =>
  async (_, { signal }) => {
    await clock.sleep(ms, listens ? signal : undefined);
    return result;
  };

const gaveUp = {
  ok: false,
  fault: { kind: 'unanswered', source: 'timeout', detail: 'no answer within 500 ms' },
};

describe('a timeout', () => {
  it('lets pass what answers in time, and leaves no timer behind', async () => {
    const { clock, limited } = bench();
    const result = limited(answersAfter(clock, 400, ok('done')))(500, callOf());
    await clock.pass(400);
    expect([await result, clock.sleepers()]).toEqual([ok('done'), 0]);
  });

  it('aborts what does not, which then may have happened', async () => {
    const { clock, limited } = bench();
    const call: { seen?: unknown } = {};
    const result = limited(async (_, { signal }) => {
      await clock.sleep(60_000, signal);
      call.seen = signal.reason;
      return fail(fault('unavailable', 'aborted'));
    })(500, callOf());
    await clock.pass(500);
    // What it says after its abort is about the abort, not about the work.
    expect(await result).toMatchObject({ ...gaveUp, fault: { ...gaveUp.fault, retry_after_ms: 0 } });
    expect([call.seen, clock.sleepers()]).toEqual(['timeout', 0]);
  });

  it('says later only of what may be asked again', async () => {
    const { clock, limited } = bench(false);
    const result = limited(answersAfter(clock, 60_000, fail(fault('unavailable', 'aborted'))))(500, callOf());
    await clock.pass(500);
    const answer = await result;
    expect(answer).toMatchObject(gaveUp);
    expect(!answer.ok && 'retry_after_ms' in answer.fault).toBe(false);
  });

  it('keeps an answer that was good after all', async () => {
    const { clock, limited } = bench();
    const result = limited(answersAfter(clock, 60_000, ok('just so')))(500, callOf());
    await clock.pass(500);
    expect(await result).toEqual(ok('just so'));
  });

  it('leaves behind what does not listen, after a grace', async () => {
    const { clock, limited } = bench();
    let settled = false;
    const result = limited(answersAfter(clock, 60_000, ok('late'), false))(500, callOf());
    void result.then(() => {
      settled = true;
    });
    await clock.pass(500 + graceMs - 1);
    expect(settled).toBe(false);
    await clock.pass(1);
    expect(await result).toMatchObject(gaveUp);
    await clock.pass(60_000);
    expect(clock.sleepers()).toBe(0);
  });

  it('leaves behind what does not listen to an abort from outside, and says that it was stopped', async () => {
    const { clock, limited } = bench();
    const outer = new AbortController();
    const result = limited(() => new Promise(() => {}))(500, callOf({ signal: outer.signal }));
    await clock.pass(100);
    outer.abort('cancelled');
    await clock.pass(graceMs);
    const answer = await result;
    expect(answer).toMatchObject({
      fault: { kind: 'unanswered', detail: 'stopped, and did not end in time' },
    });
    expect(!answer.ok && 'retry_after_ms' in answer.fault).toBe(false);
  });

  it('hands an abort from outside on, its cause with it, and lets the answer to it pass', async () => {
    const { clock, limited } = bench();
    const outer = new AbortController();
    let reason: unknown;
    const said = fail(fault('refused', 'stopped'));
    const result = limited(async (_, { signal }) => {
      await clock.sleep(60_000, signal);
      reason = signal.reason;
      return said;
    })(500, callOf({ signal: outer.signal }));
    outer.abort('draining');
    await clock.pass(0);
    expect([await result, reason]).toEqual([said, 'draining']);
  });

  it('is never longer than the deadline, and nothing at all past it', async () => {
    const { clock, limited } = bench();
    const call = callOf({ deadline: clock.now() + 200 });
    const result = limited(answersAfter(clock, 300, fail(fault('unavailable', 'x'))))(500, call);
    await clock.pass(200);
    expect(await result).toMatchObject({ fault: { detail: 'no answer within 200 ms' } });
    const late = limited(answersAfter(clock, 300, fail(fault('unavailable', 'x'))))(500, call);
    await clock.pass(0);
    expect(await late).toMatchObject({ fault: { detail: 'no answer within 0 ms' } });
  });

  it('lets a defect pass, and has then let go of everything', async () => {
    const { clock, limited } = bench();
    const signal = watched();
    const result = limited(async () => {
      throw new Error('broken');
    })(500, callOf({ signal: signal.signal }));
    await expect(result).rejects.toThrow('broken');
    await clock.pass(0);
    expect([clock.sleepers(), signal.listeners()]).toEqual([0, 0]);
  });
});

/** A signal that counts who listens. */
const watched = (): { readonly signal: Call['signal']; readonly listeners: () => number } => {
  const { signal } = new AbortController();
  let listening = 0;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listening += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listening -= 1;
    remove(...given);
  };
  return { signal, listeners: () => listening };
};
