import { systemClock } from '@foldmesh/system';
import { eventually, redisServer } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { claimOn, isReady, proxied, recovered, slowLoader, typeAt, wonOn } from './redis-hands.ts';
import { readyStores, storesAt } from './redis-rig.ts';
import { faultOf, got } from './rig.ts';
import { doneWith, samples } from './samples.ts';

const lookMs = 100;

describe.concurrent('a server that may not be used', { timeout: 90_000 }, () => {
  it.each(['allkeys-lru', 'volatile-ttl', 'volatile-lru'])(
    '%s is refused at start-up, by name',
    async (policy) => {
      await using server = await redisServer({ policy });
      await using stores = storesAt(server.url);
      const fault = faultOf(await stores.check(30_000));
      expect(fault.kind).toBe('invalid');
      expect(fault.detail).toContain(`maxmemory-policy is ${policy}`);
      expect(faultOf(await claimOn(stores, 1))).toMatchObject({ kind: 'unavailable', retry_after_ms: 100 });
    },
  );

  it('a policy that is changed while it runs shuts it, and opens it when it is changed back', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url, { lookMs });
    const { held } = await wonOn(stores, 1);
    await typeAt(server, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lfu');
    await eventually(() => expect(stores.problems().join()).toContain('maxmemory-policy is allkeys-lfu'));
    for (const asked of [claimOn(stores, 2), stores.inbox.start(held), stores.inbox.generation()])
      expect(faultOf<unknown>(await asked).kind).toBe('unavailable');
    await typeAt(server, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await recovered(stores);
    expect(got(await stores.inbox.start(held))).toBe('held');
  });

  it('while it may forget, what was begun before is renewed, completed and given back all the same', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url, { lookMs });
    const { held: long } = await wonOn(stores, 1);
    const { held: unsafe } = await wonOn(stores, 2);
    const { held: tried } = await wonOn(stores, 3);
    expect(got(await stores.inbox.start(unsafe))).toBe('held');
    await typeAt(server, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    await eventually(() => expect(stores.problems().join()).toContain('maxmemory-policy is allkeys-lru'));
    expect(got(await stores.inbox.renew(long, 60_000))).toBe('held');
    expect(got(await stores.inbox.complete(unsafe, doneWith('x'), 2 ** 42))).toBe('held');
    expect(got(await stores.inbox.release(tried, 'try'))).toBe('held');
    await typeAt(server, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await recovered(stores);
    expect(got(await claimOn(stores, 1, 'two'))).toMatchObject({ kind: 'held' });
    expect(got(await claimOn(stores, 2, 'two'))).toEqual({ kind: 'settled', outcome: doneWith('x') });
    expect(got(await claimOn(stores, 3, 'two'))).toMatchObject({ kind: 'won', tries: 1 });
  });

  it('full memory is unavailable and said, and what is known is known when there is room again', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url, { lookMs });
    const { held } = await wonOn(stores, 1);
    await typeAt(server, 'CONFIG', 'SET', 'maxmemory', '1mb');
    const fault = faultOf(await stores.inbox.complete(held, doneWith('x'), 2 ** 42));
    expect(fault).toMatchObject({ kind: 'unavailable', retry_after_ms: 100 });
    expect(fault.detail).toContain('OOM');
    expect(stores.problems().join()).toContain('OOM');
    expect(faultOf(await claimOn(stores, 2)).detail).toContain('OOM');
    await typeAt(server, 'CONFIG', 'SET', 'maxmemory', '0');
    await recovered(stores);
    expect(got(await stores.inbox.complete(held, doneWith('x'), 2 ** 42))).toBe('held');
  });

  it('full memory is noticed by looking, also where nobody claims', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url, { lookMs });
    await typeAt(server, 'CONFIG', 'SET', 'maxmemory', '1mb');
    await eventually(() => stores.problems().join().includes('OOM'));
  });

  it('a server that has become a replica is unavailable, and is used again when it is a primary', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url, { lookMs: 60_000 });
    const { held } = await wonOn(stores, 1);
    await typeAt(server, 'REPLICAOF', '127.0.0.1', '1');
    const fault = faultOf(await stores.inbox.renew(held, 60_000));
    expect(fault).toMatchObject({ kind: 'unavailable', retry_after_ms: 100 });
    expect(fault.detail).toContain('READONLY');
    await eventually(() => stores.problems().join().includes('its role is slave'));
    await typeAt(server, 'REPLICAOF', 'NO', 'ONE');
    await recovered(stores);
    expect(got(await stores.inbox.renew(held, 60_000))).toBe('held');
  });

  it('while it is a replica its name is asked again and again where the primary is', async () => {
    await using server = await redisServer();
    await using proxy = await proxied(server);
    await using stores = await readyStores(proxy.url('redis'), { lookMs });
    await typeAt(server, 'REPLICAOF', '127.0.0.1', '1');
    const { connections } = proxy.counts();
    await eventually(() => proxy.counts().connections >= connections + 2);
    await typeAt(server, 'REPLICAOF', 'NO', 'ONE');
    await recovered(stores);
    await wonOn(stores, 1);
  });

  it('a replica is not used from the start', async () => {
    await using server = await redisServer();
    await typeAt(server, 'REPLICAOF', '127.0.0.1', '1');
    await using stores = storesAt(server.url);
    // Before it has said which role it has, it is merely not ready yet.
    await eventually(async () => {
      const fault = faultOf(await stores.check(300));
      expect(fault).toMatchObject({ kind: 'unavailable', retry_after_ms: 100 });
      expect(fault.detail).toContain('role');
    });
  });

  it('a server that still reads what it has stored is waited for, and nothing is taken for final', async () => {
    await using slow = await slowLoader();
    await using server = await redisServer({ appendonly: 'always', binary: slow.binary });
    await using stores = await readyStores(server.url, { lookMs });
    await wonOn(stores, 1);
    await typeAt(server, 'EVAL', "for key = 1, 25000 do redis.call('SET', 'filler ' .. key, 'x') end", '0');
    const restarted = server.restart();
    const said = (): Promise<string> => typeAt(server, 'GET', 'filler 1').catch(String);
    await eventually(async () => (await said()).includes('LOADING'));
    await using late = storesAt(server.url);
    expect(faultOf(await late.check(0))).toMatchObject({ kind: 'unavailable', retry_after_ms: 100 });
    expect(faultOf(await claimOn(stores, 1, 'another'))).toMatchObject({ kind: 'unavailable' });
    const checked = late.check(60_000);
    await restarted;
    got(await checked);
    await recovered(stores);
    expect(got(await claimOn(stores, 1, 'another')).kind).toBe('held');
  });

  it('too few replicas for what the server was told to promise are unavailable, until it is told otherwise', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url, { lookMs });
    await typeAt(server, 'CONFIG', 'SET', 'min-replicas-to-write', '1');
    expect(faultOf(await claimOn(stores, 1)).detail).toContain('NOREPLICAS');
    await eventually(() => stores.problems().join().includes('NOREPLICAS'));
    await typeAt(server, 'CONFIG', 'SET', 'min-replicas-to-write', '0');
    await recovered(stores);
    expect(await wonOn(stores, 1)).toMatchObject({ fresh: true });
  });

  it('rights that were taken away are unavailable, and come back', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url, { lookMs });
    await typeAt(server, 'ACL', 'SETUSER', 'default', '-set');
    expect(faultOf(await claimOn(stores, 1))).toMatchObject({ kind: 'unavailable' });
    await typeAt(server, 'ACL', 'SETUSER', 'default', '+set');
    await recovered(stores);
    await wonOn(stores, 1);
  });
});

describe.concurrent('what a server is told to be', { timeout: 90_000 }, () => {
  it.each([
    [{}, 'none', false],
    [{ appendonly: 'always' }, 'always', true],
    [{ appendonly: 'everysec' }, 'every-second', true],
    [{ appendonly: 'no' }, 'snapshot', true],
  ] as const)('%o is %s', async (settings, durability, appendonly) => {
    await using server = await redisServer(settings);
    await using stores = storesAt(server.url);
    expect(got(await stores.check(30_000))).toMatchObject({ durability, appendonly, evictedKeys: 0 });
  });

  it('where the configuration is nobody’s to read, the policy is known and the promise is the weaker one', async () => {
    await using server = await redisServer({ appendonly: 'always' });
    await typeAt(server, 'ACL', 'SETUSER', 'default', '-config');
    await using stores = storesAt(server.url);
    expect(got(await stores.check(30_000))).toMatchObject({
      policy: 'noeviction',
      durability: 'every-second',
      appendfsync: undefined,
    });
  });

  it.each([5_000, -5_000])('its clock is ahead of a host’s that is %i ms behind', async (behindMs) => {
    await using server = await redisServer();
    const clock = { ...systemClock, now: () => systemClock.now() - behindMs };
    await using stores = await readyStores(server.url, { clock });
    await eventually(() => Math.abs(stores.offsetMs() - behindMs) < 100);
  });
});

describe.concurrent('what lies on the server', { timeout: 90_000 }, () => {
  const key = (step: number): string => {
    const [tenant, job, ...rest] = samples('redis').key(step).split('/');
    return `foldmesh:{${tenant}/${job}}:inbox:tool.call:${rest.join('/')}`;
  };

  it('a record that cannot be read is invalid, and stays as it is', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url);
    await typeAt(server, 'SET', key(1), 'from another world');
    await typeAt(server, 'HSET', key(2), 'a', 'hash');
    for (const step of [1, 2]) {
      const fault = faultOf(await claimOn(stores, step));
      expect(fault.kind).toBe('invalid');
      expect(fault.detail).toContain(key(step));
      expect(fault).not.toHaveProperty('retry_after_ms');
      expect(faultOf(await stores.inbox.peek(samples('redis').record(step))).kind).toBe('invalid');
    }
    expect(await typeAt(server, 'GET', key(1))).toContain('from another world');
    expect(await typeAt(server, 'HGET', key(2), 'a')).toContain('hash');
    expect(isReady(stores)).toBe(true);
  });

  it('all of it runs out by itself, but for the generation mark', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url);
    const { tenant, job, record, key: keyAt } = samples('redis');
    for (const step of [1, 2, 3, 4, 5]) await wonOn(stores, step);
    const { held } = await wonOn(stores, 6);
    got(await stores.inbox.renew(held, 1_000));
    got(await stores.inbox.start(held));
    got(await stores.inbox.complete(held, doneWith('x'), 2 ** 42));
    got(await stores.inbox.release((await wonOn(stores, 7)).held, 'try'));
    got(await stores.inbox.release((await wonOn(stores, 8)).held, 'nothing'));
    got(await stores.inbox.start((await wonOn(stores, 5)).held));
    got(await stores.inbox.halt(tenant, job, 2 ** 42));
    got(await stores.inbox.generation());
    got(await stores.ledger.rebuild({ tenant, job, name: '_job' }, { tokens: 1 }));
    const budget = { kind: 'budget', budget: { tenant, job, name: '_job' }, limits: {} } as const;
    const quota = { kind: 'quota', name: 'provider', limits: { tokens: 9 }, windowMs: 60_000 } as const;
    for (const step of [1, 2]) {
      const id = { key: keyAt(step), try: 1 };
      got(
        await stores.ledger.reserve({ ...id, accounts: [budget, quota], amounts: { tokens: 1 }, leaseMs: 1 }),
      );
    }
    got(await stores.ledger.settle({ key: keyAt(1), try: 1 }, { tokens: 1 }));
    expect(got(await stores.inbox.peek(record(8)))).toBeUndefined();
    const keyspace = /keys=(\d+),expires=(\d+)/.exec(await typeAt(server, 'INFO', 'keyspace'));
    // 7 records, a token, a halt mark, the probe, a budget, a quota, two tries; and the mark of the store.
    expect(keyspace?.slice(1)).toEqual(['15', '14']);
  });

  it('a token is larger than the last one of its job, whatever the clock of the server says', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url);
    const { tenant, job } = samples('redis');
    const ahead = 4_000_000_000_000_000;
    await typeAt(server, 'SET', `foldmesh:{${tenant}/${job}}:token`, String(ahead));
    expect((await wonOn(stores, 1)).token).toBe(ahead + 1);
    expect((await wonOn(stores, 2)).token).toBe(ahead + 2);
    const { held } = await wonOn(stores, 2);
    expect(got(await stores.inbox.renew(held, 1_000))).toBe('held');
  });

  it('of fifty claims by five hosts one is won', async () => {
    await using server = await redisServer();
    const hosts = await Promise.all([1, 2, 3, 4, 5].map(() => readyStores(server.url)));
    for (const step of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
      const claims = hosts.flatMap((host, at) =>
        Array.from({ length: 10 }, (_, copy) => claimOn(host, step, `${at}/${copy}`)),
      );
      const kinds = (await Promise.all(claims)).map((claim) => got(claim).kind);
      expect(kinds.filter((kind) => kind === 'won')).toHaveLength(1);
      expect(kinds.filter((kind) => kind === 'held')).toHaveLength(49);
    }
    for (const host of hosts) await host[Symbol.asyncDispose]();
  });
});
