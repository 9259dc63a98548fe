import { redisLimits } from './settings.ts';

/** One question for the server's time: all in milliseconds, `tripMs` there and back. */
export interface ClockSample {
  readonly offsetMs: number;
  readonly tripMs: number;
}

/** The server answered somewhere within the trip; halfway is wrong by at most half of it. */
export const sampleOf = (askedAt: number, tripMs: number, serverAt: number): ClockSample => ({
  offsetMs: serverAt - (askedAt + tripMs / 2),
  tripMs,
});

/** The server's time of a `TIME` reply, seconds and microseconds, in milliseconds. */
export const timeOf = ([seconds, micros]: readonly [string, string]): number =>
  Number(seconds) * 1000 + Number(micros) / 1000;

/** By how much the store's clock is ahead of the host's: of the last few samples the one with the shortest trip. */
export interface ClockOffset {
  add(sample: ClockSample): void;
  /** Another server has another clock. */
  forget(): void;
  /** Whole milliseconds; what was known last for as long as nothing newer is, 0 before anything is. */
  ms(): number;
}

export const clockOffset = (): ClockOffset => {
  let samples: readonly ClockSample[] = [];
  let best = 0;
  return {
    add: (sample) => {
      samples = [...samples, sample].slice(-redisLimits.clockSamplesMax);
      const [first, ...rest] = samples;
      if (first === undefined) return;
      const shortest = rest.reduce((least, one) => (one.tripMs < least.tripMs ? one : least), first);
      best = Math.round(shortest.offsetMs);
    },
    forget: () => {
      samples = [];
    },
    ms: () => best,
  };
};
