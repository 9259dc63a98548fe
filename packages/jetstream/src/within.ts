import type { Clock } from '@foldmesh/ports';

/** Waits for what may never come, and no longer than `ms`; how it ends is somebody else's business. */
export const within = async (clock: Clock, ms: number, work: Promise<unknown>): Promise<void> => {
  const over = new AbortController();
  await Promise.race([work.catch(() => undefined), clock.sleep(ms, over.signal)]);
  over.abort('over');
};
