import type { RedisStores } from '@foldmesh/redis';
import { eventually, redisServer } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { claimOn, isReady, recovered, typeAt, wonOn } from './redis-hands.ts';
import { readyStores } from './redis-rig.ts';
import { got } from './rig.ts';
import { doneWith, samples } from './samples.ts';

const lookMs = 100;
const mark = async ({ inbox }: RedisStores): Promise<string> => got(await inbox.generation());

describe.concurrent('the lives of a redis', { timeout: 90_000 }, () => {
  it('restarted without its data it is another store: the mark says so, a token is larger all the same', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url);
    const [before, { token }] = [await mark(stores), await wonOn(stores, 1)];
    await server.restart();
    await recovered(stores);
    expect(await mark(stores)).not.toBe(before);
    const again = await wonOn(stores, 1, 'another');
    expect(again.fresh).toBe(true);
    expect(again.token).toBeGreaterThan(token);
    expect(got(await stores.inbox.renew({ ...again.held, token }, 1_000))).toBe('lost');
  });

  it.each(['always', 'everysec'] as const)(
    'restarted with its log (%s) it knows its records; it may have lost the last ones, so the mark is another',
    async (appendonly) => {
      await using server = await redisServer({ appendonly });
      await using stores = await readyStores(server.url);
      const before = await mark(stores);
      const { held } = await wonOn(stores, 1);
      got(await stores.inbox.complete(held, doneWith('kept'), 2 ** 42));
      const claimed = await wonOn(stores, 2, 'one', 60_000);
      await server.restart();
      await recovered(stores);
      expect(got(await claimOn(stores, 1, 'another'))).toEqual({
        kind: 'settled',
        outcome: doneWith('kept'),
      });
      expect(got(await claimOn(stores, 2, 'another')).kind).toBe('held');
      expect(got(await stores.inbox.renew(claimed.held, 60_000))).toBe('held');
      const after = await mark(stores);
      expect(after).not.toBe(before);
      expect(await mark(stores)).toBe(after);
    },
  );

  it('killed while many claim, it gives nobody’s claim to two once it has its log again', async () => {
    await using server = await redisServer({ appendonly: 'always' });
    await using stores = await readyStores(server.url, { commandTimeoutMs: 4_000 });
    const all = Array.from({ length: 200 }, (_, step) => step);
    const first = all.map((step) => claimOn(stores, step));
    await Promise.race(first);
    await server.kill();
    const answers = await Promise.all(first);
    await server.restart();
    await recovered(stores);
    for (const [step, answer] of answers.entries()) {
      const other = got(await claimOn(stores, step, 'another'));
      if (answer.ok) expect(other.kind).toBe('held');
    }
  });

  it('emptied while it runs it is another store at once', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url);
    const before = await mark(stores);
    await typeAt(server, 'FLUSHALL');
    expect(await mark(stores)).not.toBe(before);
  });

  it('once it has evicted anything it is another store, however its policy reads by then', async () => {
    await using server = await redisServer();
    const told: string[] = [];
    await using stores = await readyStores(server.url, { lookMs, log: (_, line) => void told.push(line) });
    const before = await mark(stores);
    await typeAt(server, 'CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru');
    for (let step = 1; step <= 50; step++)
      await typeAt(server, 'SET', `filler ${step}`, 'x'.repeat(10_000), 'PX', '60000');
    await typeAt(server, 'CONFIG', 'SET', 'maxmemory', '1');
    await eventually(async () => /evicted_keys:[1-9]/.test(await typeAt(server, 'INFO', 'stats')));
    await typeAt(server, 'CONFIG', 'SET', 'maxmemory', '0');
    await typeAt(server, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await recovered(stores);
    await eventually(async () => (await mark(stores)) !== before);
    await eventually(() => told.some((line) => line.includes('evicted')));
  });

  it('a replica that takes over is another store: it may lack the last writes', async () => {
    await using primary = await redisServer();
    await using replica = await redisServer();
    await using before = await readyStores(primary.url);
    const first = await mark(before);
    await wonOn(before, 1);
    await typeAt(primary, 'CONFIG', 'SET', 'repl-diskless-sync-delay', '0');
    await typeAt(replica, 'REPLICAOF', '127.0.0.1', String(primary.port));
    await eventually(async () =>
      (await typeAt(replica, 'INFO', 'replication')).includes('master_link_status:up'),
    );
    await primary.kill();
    await typeAt(replica, 'REPLICAOF', 'NO', 'ONE');
    await using after = await readyStores(replica.url);
    expect(got(await claimOn(after, 1, 'another')).kind).toBe('held');
    expect(await mark(after)).not.toBe(first);
  });

  it('one that was a replica for a moment, between two looks, is another store', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url, { lookMs: 60_000 });
    const before = await mark(stores);
    await typeAt(server, 'REPLICAOF', '127.0.0.1', '1');
    await typeAt(server, 'REPLICAOF', 'NO', 'ONE');
    expect(await mark(stores)).not.toBe(before);
    expect(isReady(stores)).toBe(true);
  });

  it('the mark is the same for every host, and while nothing happens', async () => {
    await using server = await redisServer();
    await using one = await readyStores(server.url);
    await using other = await readyStores(server.url);
    const marks = await Promise.all([one, other, one, other, one].map(mark));
    expect(new Set(marks).size).toBe(1);
    await wonOn(one, 1);
    got(await one.inbox.halt(samples('redis').tenant, samples('redis').job, 2 ** 42));
    expect(await mark(other)).toBe(marks[0]);
  });
});
