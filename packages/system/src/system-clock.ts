import type { Clock } from '@foldmesh/ports';

/** What `setTimeout` can hold; a longer one would fire at once. */
const timerMsMax = 2 ** 31 - 1;

/** The machine's own time. Where a dedup store has a clock of its own, its host corrects this one. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const endsAt = performance.now() + ms;
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      // A timer may fire a little early, and one that is longer than it can hold comes in parts.
      const look = (): void => {
        const leftMs = endsAt - performance.now();
        if (leftMs > 0) timer = setTimeout(look, Math.min(Math.ceil(leftMs), timerMsMax));
        else end();
      };
      signal?.addEventListener('abort', end, { once: true });
      // Even a sleep of nothing lets timers and IO run, so that who waits in a loop starves nobody.
      let timer = setTimeout(look, Math.min(Math.max(0, Math.ceil(ms)), timerMsMax));
    }),
};
