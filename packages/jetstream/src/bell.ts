import type { Clock } from '@foldmesh/ports';

/** What may be waited for without a promise for each time that it rings. */
export interface Bell {
  ring(): void;
  /** How often it has rung: whoever has looked before that rests no longer than it must. */
  rings(): number;
  /** Until it rings, `ms` are over, or one of the signals aborts. */
  rest(ms: number, signals: readonly AbortSignal[]): Promise<void>;
}

export const bell = (clock: Clock): Bell => {
  let rings = 0;
  let next = Promise.withResolvers<void>();
  return {
    ring: () => {
      rings += 1;
      next.resolve();
      next = Promise.withResolvers<void>();
    },
    rings: () => rings,
    rest: async (ms, signals) => {
      const over = new AbortController();
      const stop = (): void => over.abort();
      for (const signal of signals) signal.addEventListener('abort', stop, { once: true });
      if (signals.some(({ aborted }) => aborted)) stop();
      await Promise.race([next.promise, clock.sleep(ms, over.signal)]);
      // A timer that nobody waits for any more would keep the process.
      stop();
      for (const signal of signals) signal.removeEventListener('abort', stop);
    },
  };
};
