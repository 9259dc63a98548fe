import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteMemory } from '@foldmesh/sqlite';
import { systemClock } from '@foldmesh/system';
import { got, type Rig } from './rig.ts';

/** A path in a folder of its own, which is gone afterwards. */
export const withFile = async (test: (path: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-contract-'));
  try {
    await test(join(folder, 'facts.db'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** A memory on a real file, new for each test, as it is in production. */
export const sqliteRig = (): Rig<'memory'> => ({
  name: 'sqlite',
  timings: { ackWaitMs: 6_000, duplicateWindowMs: 20_000, leaseMs: 6_000, slackMs: 50, patienceMs: 10_000 },
  runs: 50,
  timeoutMs: 60_000,
  run: (test) =>
    withFile(async (path) => {
      await using memory = got(await sqliteMemory({ path, log: () => {} }));
      await test({ memory, clock: systemClock }, 'sqlite');
    }),
});
