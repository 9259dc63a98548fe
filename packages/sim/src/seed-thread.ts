import { parentPort } from 'node:worker_threads';
import type { Failed, Played, Share } from './deal-seeds.ts';
import { runSeeds } from './run-seeds.ts';

// One thread of several: it plays the seeds that it is dealt, and says what they came to.
parentPort?.on('message', async (share: Share) => {
  const failed: Failed[] = [];
  const total = await runSeeds({
    ...share,
    onSeed: ({ seed, violations }) => {
      if (violations.length > 0) failed.push({ seed, violations });
    },
  });
  const played: Played = { total, failed };
  parentPort?.postMessage(played);
});
