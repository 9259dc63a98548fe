import type { Recorded } from '@foldmesh/ports';
import { expect, test } from 'vitest';
import { followJournal } from './follow-journal.ts';

/** A follower of a store that is filled by hand, whose waits are ended by hand; says how often it has asked, and what it waits for. */
const scene = () => {
  const stop = new AbortController();
  const stored: Recorded[] = [];
  const waits: number[] = [];
  let asked = 0;
  let ring = (): void => undefined;
  let pass = (): void => undefined;
  const clock = {
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted === true) return resolve();
        waits.push(ms);
        pass = resolve;
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
  const connection = {
    nats: {
      subscribe: (_: string, { callback }: { readonly callback: () => void }) => {
        ring = callback;
        return { unsubscribe: () => undefined };
      },
    },
    settings: { clock, log: () => undefined },
    onReturn: () => () => undefined,
  };
  const read = async (from: number) => {
    asked += 1;
    return stored.find(({ seq }) => seq >= from);
  };
  const following = { pattern: 'a.job', from: 0, signal: stop.signal };
  const entries = followJournal(connection as never, following, read); // no more of a connection is used
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    stop,
    entries,
    waits,
    asked: () => asked,
    store: (seq: number) => void stored.push({ seq } as Recorded),
    rings: async () => {
      ring();
      await turn();
    },
    passes: async () => {
      pass();
      await turn();
    },
    turn,
  };
};

test('what has rung and was read is not looked for again', async () => {
  const { entries, store, rings, turn, asked, waits } = scene();
  for (let seq = 1; seq <= 5; seq++) {
    const next = entries.next();
    await turn();
    store(seq);
    await rings();
    expect((await next).value).toEqual({ seq });
  }
  void entries.next();
  await turn();
  // The one at the beginning found nothing.
  expect(asked()).toBe(1 + 5);
  expect(waits).toEqual(Array(6).fill(1_000));
});

test('a hint that is ahead of the store is looked into a few times, and then no more', async () => {
  const { entries, store, rings, passes, turn, waits } = scene();
  const next = entries.next();
  await turn();
  await rings();
  await passes();
  store(1);
  await passes();
  expect((await next).value).toEqual({ seq: 1 });
  expect(waits).toEqual([1_000, 2, 10]);
  void entries.next();
  await turn();
  await rings();
  for (let look = 0; look < 4; look++) await passes();
  expect(waits.slice(3)).toEqual([1_000, 2, 10, 40, 160, 1_000]);
});

test('what never rang is found by itself, and what was there before needs no ring', async () => {
  const { entries, store, passes, turn, waits, stop } = scene();
  for (const seq of [1, 2, 3]) store(seq);
  for (const seq of [1, 2, 3]) expect((await entries.next()).value).toEqual({ seq });
  const next = entries.next();
  await turn();
  store(4);
  await passes();
  expect((await next).value).toEqual({ seq: 4 });
  expect(waits).toEqual([1_000]);
  stop.abort();
  expect((await entries.next()).done).toBe(true);
});
