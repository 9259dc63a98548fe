import { ok } from '@foldmesh/envelope';
import type { RedisStores } from '@foldmesh/redis';
import { findBinary, type RedisServer, redisServer } from '@foldmesh/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inboxContract } from './inbox-contract.ts';
import { ledgerContract } from './ledger-contract.ts';
import { readyStores, redisRig } from './redis-rig.ts';

const valkey = await findBinary('valkey').catch(() => undefined);

// It is in no release of Debian before 13, and its packages of later ones need a newer libc than older machines have.
it.skipIf(valkey === undefined)('Valkey is taken for what it is (where it is there)', async () => {
  await using server = await redisServer({ binary: valkey?.path ?? '' });
  await using stores = await readyStores(server.url);
  expect(await stores.check(10_000)).toMatchObject(ok({ server: 'valkey', role: 'master' }));
});

if (valkey !== undefined) {
  let server: RedisServer;
  let stores: RedisStores;

  beforeAll(async () => {
    server = await redisServer({ binary: valkey.path });
    stores = await readyStores(server.url);
  }, 120_000);

  afterAll(async () => {
    await stores[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  describe.concurrent('on a real Valkey', () => {
    const rig = redisRig('Valkey', () => stores);
    inboxContract(rig);
    ledgerContract(rig);
  });
}
