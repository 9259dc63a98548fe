import { type Instant, invariant } from '@foldmesh/envelope';
import type { Clock } from '@foldmesh/ports';
import { type Due, dueHeap } from './due-heap.ts';

/**
 * Time that stands still until nothing else can run, and then jumps to the next timer. Nothing happens in it unless
 * somebody drives it, and only one may at a time.
 */
export interface VirtualClock extends Clock {
  /** Drives time until `work` settles and passes its outcome on; a defect when nothing is left that could settle it. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Lets `ms` pass: what falls due on the way runs at its own instant. */
  advance(ms: number): Promise<void>;
  /** Lets everything run that can run without time passing. */
  settle(): Promise<void>;
  /** Sleepers that wait for a later instant. */
  sleepers(): number;
}

export interface VirtualClockSettings {
  /** The first instant, milliseconds UTC. */
  readonly startsAt: Instant;
  /** How much time one `run` may use: a world that never ends must not hang its test. */
  readonly runMsMax: number;
}

const defaults: VirtualClockSettings = { startsAt: 1_800_000_000_000, runMsMax: 7 * 24 * 60 * 60 * 1000 };

/** Timers fire one by one, those of one instant in the order of their making; between two everything runs dry. */
export const virtualClock = (chosen: Partial<VirtualClockSettings> = {}): VirtualClock => {
  const settings = { ...defaults, ...chosen };
  const timers = dueHeap<() => void>();
  let elapsed = 0;
  let driven = false;

  const drive = async <T>(steps: () => Promise<T>): Promise<T> => {
    invariant(!driven, 'virtual clock: somebody drives it already; inside what it runs, sleep instead');
    driven = true;
    try {
      return await steps();
    } finally {
      driven = false;
    }
  };

  /** Fires the first timer that is due by `until`; says whether there was one. */
  const fireNext = (until: number): boolean => {
    const first = timers.peek();
    if (first === undefined || first.at > until) return false;
    elapsed = Math.max(elapsed, first.at);
    timers.popDue(elapsed)?.();
    return true;
  };

  return {
    now: () => settings.startsAt + Math.floor(elapsed),
    monotonic: () => elapsed,
    sleep: (ms, signal) => sleepOn(timers, elapsed + Math.max(0, ms), signal),
    run: (work) =>
      drive(async () => {
        const limit = elapsed + settings.runMsMax;
        let settled = false;
        const settle = () => {
          settled = true;
        };
        work.then(settle, settle);
        await runDry();
        while (!settled) {
          invariant(
            timers.size() > 0,
            'virtual clock: nothing is left to run, and what was waited for has not come',
          );
          invariant(
            fireNext(limit),
            `virtual clock: ${settings.runMsMax} ms passed, and what was waited for has not come`,
          );
          await runDry();
        }
        return work;
      }),
    advance: (ms) =>
      drive(async () => {
        const until = elapsed + ms;
        await runDry();
        while (fireNext(until)) await runDry();
        elapsed = until;
      }),
    settle: () => drive(runDry),
    sleepers: () => timers.size(),
  };
};

const sleepOn = (
  timers: ReturnType<typeof dueHeap<() => void>>,
  at: number,
  signal?: AbortSignal,
): Promise<void> => {
  invariant(!Number.isNaN(at), 'virtual clock: a sleep needs a number of milliseconds');
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    let due: Due<() => void> | undefined;
    const wake = (): void => {
      signal?.removeEventListener('abort', wake);
      if (due) timers.remove(due);
      resolve();
    };
    signal?.addEventListener('abort', wake, { once: true });
    // What sleeps for ever is no timer: only its signal can wake it.
    if (at !== Number.POSITIVE_INFINITY) due = timers.push(at, wake);
  });
};

/**
 * Every promise that can settle has settled before the platform comes to its next turn; the second turn is for those
 * who wait for a turn themselves (the platform's streams, so a request's body).
 */
const runDry = async (): Promise<void> => {
  for (let turn = 0; turn < turnsUntilDry; turn++) await nextTurn();
};

const turnsUntilDry = 2;

// biome-ignore lint/style/noRestrictedGlobals: this is the clock; a turn of the platform is how it learns that all else waits.
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
