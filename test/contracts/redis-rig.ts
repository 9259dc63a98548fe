import type { Log } from '@foldmesh/ports';
import { type RedisSettings, type RedisStores, redisStores } from '@foldmesh/redis';
import { systemClock, systemRandom } from '@foldmesh/system';
import { got, type Rig } from './rig.ts';

/** Real servers say enough about themselves. */
export const silent: Log = () => {};

/** Stores on the server at `url`, not yet known to be usable. */
export const storesAt = (url: string, settings: Partial<RedisSettings> = {}): RedisStores =>
  redisStores({ url, clock: systemClock, random: systemRandom, log: silent, ...settings });

/** Stores on a server that may be used. */
export const readyStores = async (
  url: string,
  settings: Partial<RedisSettings> = {},
): Promise<RedisStores> => {
  const stores = storesAt(url, settings);
  got(await stores.check(30_000));
  return stores;
};

const leaseMs = 2_000;

/**
 * All on one server, and on its time: a lease is short enough to wait for, and long enough that a busy machine does not
 * let one run out that should not.
 */
export const redisRig = (name: string, stores: () => RedisStores): Rig<'inbox' | 'ledger'> => ({
  name,
  timings: { ackWaitMs: leaseMs, duplicateWindowMs: leaseMs, leaseMs, slackMs: 250, patienceMs: 15_000 },
  runs: 3,
  timeoutMs: 180_000,
  run: async (test) => {
    const { inbox, ledger } = stores();
    await test({ inbox, ledger, clock: systemClock }, systemRandom.hex(6));
  },
});
