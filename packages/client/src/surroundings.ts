import type { Clock } from '@foldmesh/ports';

/** One request, as the platform's `fetch` makes it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What the client needs of the program that it runs in. */
export interface Surroundings {
  readonly fetch: Fetch;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** In `[0, 1)`: spreads what many clients would do at once. */
  readonly chance: () => number;
}

/** Those of any program on a platform with `fetch`: a client is used where there are no ports. */
export const platform: Surroundings = {
  fetch: (url, init) => globalThis.fetch(url, init),
  clock: {
    // biome-ignore lint/nursery/noJsRestrictedProperties: who has ports gives a clock; others have only this one.
    now: () => Date.now(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const done = (): void => {
          globalThis.clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const timer = globalThis.setTimeout(done, ms);
        signal?.addEventListener('abort', done, { once: true });
      }),
  },
  chance: () => (globalThis.crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32,
};
