import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { systemClock } from './system-clock.ts';

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('systemClock', () => {
  it('tells the time in whole milliseconds UTC', () => {
    expect(Number.isInteger(systemClock.now())).toBe(true);
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000);
  });

  it('sleeps at least as long as it was told', async () => {
    const from = systemClock.monotonic();
    await systemClock.sleep(15);
    expect(systemClock.monotonic() - from).toBeGreaterThanOrEqual(15);
  });

  it('lets others run even when there is nothing to sleep', async () => {
    let others = 0;
    setImmediate(() => {
      others += 1;
    });
    await systemClock.sleep(0);
    await systemClock.sleep(-5);
    expect(others).toBe(1);
  });

  it('wakes at once on an abort, and takes its timer and its listener along', async () => {
    const before = timers();
    const controller = new AbortController();
    const sleeping = systemClock.sleep(60_000, controller.signal);
    expect(timers()).toBe(before + 1);
    controller.abort();
    await sleeping;
    expect(timers()).toBe(before);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('does not begin when the signal has aborted already', async () => {
    const before = timers();
    const sleeping = systemClock.sleep(60_000, AbortSignal.abort());
    expect(timers()).toBe(before);
    await sleeping;
  });

  it('leaves no listener behind on a signal that outlives many sleeps', async () => {
    const { signal } = new AbortController();
    for (let sleeps = 0; sleeps < 20; sleeps += 1) await systemClock.sleep(1, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('sleeps longer than a timer can hold, instead of not at all', async () => {
    const controller = new AbortController();
    const sleeping = systemClock.sleep(2 ** 31 + 5, controller.signal).then(() => 'woke');
    expect(await Promise.race([sleeping, systemClock.sleep(10).then(() => 'sleeps')])).toBe('sleeps');
    controller.abort();
    expect(await sleeping).toBe('woke');
  });
});
