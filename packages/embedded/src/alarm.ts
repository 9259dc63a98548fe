import type { Clock } from '@foldmesh/ports';

/** One sleeper for many due times. It may ring too early, never too late: whoever hears it looks at the time. */
export interface Alarm {
  /** Rings at `at` (monotonic milliseconds) at the latest. */
  set(at: number): void;
  /** Without anybody who waits there must be no sleeper, or a process could not end. */
  clear(): void;
}

export const alarm = (clock: Clock, ring: () => void): Alarm => {
  let next = Number.POSITIVE_INFINITY;
  let sleeper: AbortController | undefined;

  const clear = (): void => {
    sleeper?.abort('over');
    sleeper = undefined;
    next = Number.POSITIVE_INFINITY;
  };

  const sleepUntil = async (at: number, own: AbortController): Promise<void> => {
    await clock.sleep(Math.max(0, Math.ceil(at - clock.monotonic())), own.signal);
    if (sleeper !== own) return;
    clear();
    ring();
  };

  return {
    set: (at) => {
      if (at >= next) return;
      clear();
      next = at;
      sleeper = new AbortController();
      void sleepUntil(at, sleeper);
    },
    clear,
  };
};
