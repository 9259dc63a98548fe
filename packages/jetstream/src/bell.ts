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
  const resting = new Set<() => void>();
  return {
    ring: () => {
      rings += 1;
      for (const wake of resting) wake();
    },
    rings: () => rings,
    rest: async (ms, signals) => {
      const over = new AbortController();
      const stop = (): void => over.abort('over');
      for (const signal of signals) signal.addEventListener('abort', stop, { once: true });
      if (signals.some(({ aborted }) => aborted)) stop();
      resting.add(stop);
      await clock.sleep(ms, over.signal);
      resting.delete(stop);
      for (const signal of signals) signal.removeEventListener('abort', stop);
    },
  };
};
