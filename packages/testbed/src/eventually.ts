import { systemClock } from '@foldmesh/system';

/** How long to try, and how often. By default long enough for a busy machine: only what never holds waits for it. */
export interface EventuallySettings {
  readonly withinMs?: number;
  readonly everyMs?: number;
}

/**
 * Asks again until `check` neither throws nor gives `false` or `null`, and returns what it gave; fails with what was last
 * wrong. A block of expectations gives `undefined`, which therefore counts as held: a look-up that may miss says `?? null`.
 */
export const eventually = async <T>(
  check: () => T | Promise<T>,
  { withinMs = 15_000, everyMs = 20 }: EventuallySettings = {},
): Promise<Exclude<T, false | null>> => {
  const until = systemClock.monotonic() + withinMs;
  for (;;) {
    const look = await lookOnce(check, Math.max(1, until - systemClock.monotonic()));
    if (look.held) return look.value;
    if (systemClock.monotonic() + everyMs > until) throw look.wrong;
    await systemClock.sleep(everyMs);
  }
};

type Look<T> =
  | { readonly held: true; readonly value: Exclude<T, false | null> }
  | { readonly held: false; readonly wrong: unknown };

/** A check that does not come back is wrong too: nobody would ever hear what was. */
const lookOnce = async <T>(check: () => T | Promise<T>, leftMs: number): Promise<Look<T>> => {
  const patience = new AbortController();
  const silence = systemClock.sleep(leftMs, patience.signal).then((): Look<T> => {
    return { held: false, wrong: new Error(`the check did not come back within ${Math.ceil(leftMs)} ms`) };
  });
  try {
    return await Promise.race([settle(check), silence]);
  } finally {
    patience.abort();
  }
};

const settle = async <T>(check: () => T | Promise<T>): Promise<Look<T>> => {
  try {
    const value = await check();
    if (isHeld(value)) return { held: true, value };
    return { held: false, wrong: new Error(`it was still ${String(value)}`) };
  } catch (wrong) {
    return { held: false, wrong };
  }
};

const isHeld = <T>(value: T): value is Exclude<T, false | null> => value !== false && value !== null;
