import { systemClock } from '@foldmesh/system';

/** What one call takes, in microseconds. */
export interface CallCost {
  readonly wallUs: number;
  /** Processor time of this process, so without what servers do meanwhile. */
  readonly cpuUs: number;
}

/** Does a thing so many times. */
export type Times = (count: number) => void | Promise<void>;

/** Does it twice as often until that took long enough to be told from the clock's grain and from the way there. */
export const callCost = async (times: Times, leastMs: number): Promise<CallCost> => {
  for (let count = 1; ; count *= 2) {
    const before = process.cpuUsage();
    const begun = systemClock.monotonic();
    await times(count);
    const ms = systemClock.monotonic() - begun;
    if (ms < leastMs) continue;
    const { user, system } = process.cpuUsage(before);
    return { wallUs: (ms * 1_000) / count, cpuUs: (user + system) / count };
  }
};

/** Calls it again and again; what it gives is kept, for else the engine might see that nobody needs it. */
export const repeated = (call: () => unknown): Times => {
  let kept: unknown;
  return (count) => {
    for (let time = 0; time < count; time++) kept = call();
    if (kept === undefined) throw new Error('a call that is measured must give something');
  };
};

/** One call after the other, each awaited. */
export const awaited =
  (call: (lane: number) => Promise<unknown>): Times =>
  async (count) => {
    for (let time = 0; time < count; time++) await call(0);
  };

/** As many calls under way as there are lanes; each lane knows its number. */
export const inLanes =
  (lanes: number, call: (lane: number) => Promise<unknown>): Times =>
  async (count) => {
    let left = count;
    const work = async (lane: number): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await call(lane);
      }
    };
    await Promise.all(Array.from({ length: Math.min(lanes, count) }, (_, lane) => work(lane)));
  };
