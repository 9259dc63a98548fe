import type { Clock } from '@foldmesh/ports';

/** A clock that a test turns by hand. Time passes only in `pass`. */
export interface HandClock extends Clock {
  /** Lets `ms` pass: who sleeps wakes at its instant, and what that leads to is done before the next one wakes. */
  pass(ms: number): Promise<void>;
  /** Who waits for a later instant: none may be left when nothing is under way. */
  sleepers(): number;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

const epoch = 1_800_000_000_000;

/** Enough for any chain of promises here: whoever needs more waits for something that does not come by itself. */
const hopsMax = 200;

export const handClock = (): HandClock => {
  const sleepers = new Set<Sleeper>();
  let elapsed = 0;

  const next = (until: number): Sleeper | undefined => {
    let first: Sleeper | undefined;
    for (const sleeper of sleepers)
      if (sleeper.at <= until && (first === undefined || sleeper.at < first.at)) first = sleeper;
    return first;
  };

  return {
    now: () => epoch + elapsed,
    monotonic: () => elapsed,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const wake = (): void => {
          signal?.removeEventListener('abort', wake);
          sleepers.delete(sleeper);
          resolve();
        };
        const sleeper: Sleeper = { at: elapsed + Math.max(0, ms), wake };
        signal?.addEventListener('abort', wake, { once: true });
        sleepers.add(sleeper);
      }),
    async pass(ms) {
      const until = elapsed + ms;
      await settled();
      for (let due = next(until); due !== undefined; due = next(until)) {
        elapsed = Math.max(elapsed, due.at);
        due.wake();
        await settled();
      }
      elapsed = until;
    },
    sleepers: () => sleepers.size,
  };
};

const settled = async (): Promise<void> => {
  for (let hop = 0; hop < hopsMax; hop++) await Promise.resolve();
};
