import { Worker } from 'node:worker_threads';
import { addTotal, nothingYet, type SeedRange, type Total } from './run-seeds.ts';
import type { Outcome } from './simulate.ts';

/** What a thread is given and what it answers with. */
export type Share = Pick<SeedRange, 'first' | 'count' | 'eachStep'>;
export interface Played {
  readonly total: Total;
  /** Without what cannot leave its thread. */
  readonly failed: readonly Failed[];
}
export type Failed = Pick<Outcome, 'seed' | 'violations'>;

export interface Dealt {
  readonly first: number;
  readonly count: number;
  readonly threads: number;
  readonly eachStep: boolean;
  /** Hears of each seed that failed, in whatever order they come. */
  readonly onFailed: (failed: Failed) => void;
}

/** Small, so that no thread is left alone with much at the end. */
const shareSeeds = 20;

/** Plays seeds on several threads: each seed is a world of its own, so who plays it changes nothing. */
export const dealSeeds = async ({ first, count, threads, eachStep, onFailed }: Dealt): Promise<Total> => {
  const total = nothingYet();
  const end = first + count;
  let next = first;
  const take = (): Share | undefined => {
    if (next >= end) return undefined;
    const share = { first: next, count: Math.min(shareSeeds, end - next), eachStep };
    next += share.count;
    return share;
  };
  const takePart = async (): Promise<void> => {
    const worker = new Worker(new URL('./seed-thread.ts', import.meta.url));
    try {
      for (let share = take(); share !== undefined; share = take()) {
        const { total: more, failed } = await playOn(worker, share);
        addTotal(total, more);
        for (const one of failed) onFailed(one);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: threads }, takePart));
  return total;
};

const playOn = (worker: Worker, share: Share): Promise<Played> =>
  new Promise((resolve, reject) => {
    const forget = (): void => {
      worker.off('message', hear);
      worker.off('error', fail);
    };
    const hear = (played: Played): void => {
      forget();
      resolve(played);
    };
    const fail = (error: unknown): void => {
      forget();
      reject(
        new Error(`seeds ${share.first} to ${share.first + share.count - 1} were not played to their end`, {
          cause: error,
        }),
      );
    };
    worker.on('message', hear);
    worker.on('error', fail);
    worker.postMessage(share);
  });
