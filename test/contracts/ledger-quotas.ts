import { expect } from 'vitest';
import { type LedgerBench, quotaOf, reserve, tryOf } from './ledger-hands.ts';
import { got, promise, type Rig } from './rig.ts';

const granted = { kind: 'granted' } as const;

export const sharing = (rig: Rig<'ledger'>): void => {
  promise(rig, 'who comes too early is told when its turn is, and then gets it', async (bench) => {
    const windowMs = 4 * bench.leaseMs;
    const quota = quotaOf(bench, { requests: 10 }, windowMs);
    const sinceMs = stopwatch(bench);
    expect(await reserve(bench, tryOf(bench, 1), [quota], { requests: 10 })).toEqual(granted);
    const early = await reserve(bench, tryOf(bench, 2), [quota], { requests: 5 });
    expect(early).toMatchObject({ kind: 'wait', account: quota.name });
    const waitMs = early.kind === 'wait' ? early.waitMs : 0;
    expect(waitMs).toBeLessThanOrEqual(windowMs / 2);
    expect(waitMs).toBeGreaterThanOrEqual(windowMs / 2 - sinceMs() - bench.slackMs);
    await bench.advance(waitMs);
    expect(await reserve(bench, tryOf(bench, 2), [quota], { requests: 5 })).toEqual(granted);
    expect((await reserve(bench, tryOf(bench, 3), [quota], { requests: 5 })).kind).toBe('wait');
  });

  promise(rig, 'it refills evenly, and never to more than one window', async (bench) => {
    const windowMs = 2 * bench.leaseMs;
    const quota = quotaOf(bench, { requests: 4 }, windowMs);
    expect(await reserve(bench, tryOf(bench, 1), [quota], { requests: 4 })).toEqual(granted);
    await bench.advance(2 * windowMs);
    expect(await reserve(bench, tryOf(bench, 2), [quota], { requests: 4 })).toEqual(granted);
    expect((await reserve(bench, tryOf(bench, 3), [quota], { requests: 4 })).kind).toBe('wait');
  });

  promise(
    rig,
    'a unit that is full again waits for none that is not, and does not overflow',
    async (bench) => {
      const windowMs = 8 * bench.leaseMs;
      const quota = quotaOf(bench, { requests: 10, tokens: 1_000 }, windowMs);
      const all = { requests: 1, tokens: 1_000 };
      expect(await reserve(bench, tryOf(bench, 1), [quota], all)).toEqual(granted);
      await bench.advance(windowMs / 4);
      expect(await reserve(bench, tryOf(bench, 2), [quota], { requests: 10 })).toEqual(granted);
      expect((await reserve(bench, tryOf(bench, 3), [quota], { requests: 1 })).kind).toBe('wait');
    },
  );

  promise(rig, 'what exceeds a whole window will never have its turn', async (bench) => {
    const quota = quotaOf(bench, { tokens: 10 }, 60_000);
    expect(await reserve(bench, tryOf(bench, 1), [quota], { tokens: 11 })).toEqual({
      kind: 'exhausted',
      account: quota.name,
      unit: 'tokens',
      left: 10,
    });
    const closed = quotaOf(bench, { tokens: 0 }, 60_000);
    expect((await reserve(bench, tryOf(bench, 1), [closed], { tokens: 1 })).kind).toBe('exhausted');
  });

  promise(rig, 'what was reserved and not taken comes back; what was taken beyond is owed', async (bench) => {
    const { ledger } = bench.ports;
    const quota = quotaOf(bench, { tokens: 1_000 }, 3_600_000);
    const sinceMs = stopwatch(bench);
    expect(await reserve(bench, tryOf(bench, 1), [quota], { tokens: 1_000 })).toEqual(granted);
    got(await ledger.settle(tryOf(bench, 1), { tokens: 400 }));
    expect(await reserve(bench, tryOf(bench, 2), [quota], { tokens: 600 })).toEqual(granted);
    got(await ledger.release(tryOf(bench, 2)));
    expect(await reserve(bench, tryOf(bench, 3), [quota], { tokens: 600 })).toEqual(granted);
    got(await ledger.settle(tryOf(bench, 3), { tokens: 1_600 }));
    // 2,000 are used, a whole window more than there is: 100 fit again after 1.1 windows.
    const owing = await reserve(bench, tryOf(bench, 4), [quota], { tokens: 100 });
    const waitMs = owing.kind === 'wait' ? owing.waitMs : 0;
    expect(Math.abs(waitMs - 1.1 * 3_600_000)).toBeLessThan(4_000 + sinceMs() + bench.slackMs);
  });

  promise(rig, 'a debt of several windows is not forgotten after one', async (bench) => {
    const windowMs = bench.leaseMs;
    const quota = quotaOf(bench, { tokens: 10 }, windowMs);
    await reserve(bench, tryOf(bench, 1), [quota], { tokens: 1 });
    got(await bench.ports.ledger.settle(tryOf(bench, 1), { tokens: 40 }));
    await bench.advance(1.5 * windowMs);
    expect((await reserve(bench, tryOf(bench, 2), [quota], { tokens: 1 })).kind).toBe('wait');
    await bench.advance(2.5 * windowMs);
    expect(await reserve(bench, tryOf(bench, 2), [quota], { tokens: 1 })).toEqual(granted);
  });

  promise(rig, 'of two units the later turn is the turn, and others are not counted', async (bench) => {
    const quota = quotaOf(bench, { requests: 60, tokens: 600 }, 600_000);
    const sinceMs = stopwatch(bench);
    expect(await reserve(bench, tryOf(bench, 1), [quota], { requests: 60, tokens: 300, other: 7 })).toEqual(
      granted,
    );
    const asked = await reserve(bench, tryOf(bench, 2), [quota], { requests: 1, tokens: 400 });
    const waitMs = asked.kind === 'wait' ? asked.waitMs : 0;
    expect(Math.abs(waitMs - 100_000)).toBeLessThan(1_000 + sinceMs() + bench.slackMs);
  });
};

/** Tells how long ago it was made, which is what has been refilled at most. */
const stopwatch = ({ ports }: LedgerBench): (() => number) => {
  const since = ports.clock.monotonic();
  return () => ports.clock.monotonic() - since;
};
