import type { RedisStores } from '@foldmesh/redis';
import { type RedisServer, redisServer } from '@foldmesh/testbed';
import { afterAll, beforeAll, describe } from 'vitest';
import { inboxContract } from './inbox-contract.ts';
import { ledgerContract } from './ledger-contract.ts';
import { readyStores, redisRig } from './redis-rig.ts';

let server: RedisServer;
let stores: RedisStores;

beforeAll(async () => {
  server = await redisServer();
  stores = await readyStores(server.url);
}, 120_000);

afterAll(async () => {
  await stores[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

// They wait for leases most of the time, and no two use the same names.
describe.concurrent('on a real server', () => {
  const rig = redisRig('redis', () => stores);
  inboxContract(rig);
  ledgerContract(rig);
});
