import { setImmediate } from 'node:timers/promises';
import { systemClock } from '@foldmesh/system';
import { eventually, redisServer } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { claimOn, isReady, proxied, recovered, typeAt, wonOn } from './redis-hands.ts';
import { readyStores, storesAt } from './redis-rig.ts';
import { faultOf, got } from './rig.ts';
import { doneWith } from './samples.ts';

const commandTimeoutMs = 2_000;
/** The bound of one call, and room for a busy machine; whoever waits twice takes longer. */
const boundMs = 2 * commandTimeoutMs - 100;

describe.concurrent('a bad network before redis', { timeout: 90_000 }, () => {
  it('a cut connection is a fault at once, and all is as before when the network is whole', async () => {
    await using server = await redisServer();
    await using proxy = await proxied(server);
    await using stores = await readyStores(proxy.url('redis'), { commandTimeoutMs });
    const { held } = await wonOn(stores, 1);
    proxy.cut();
    await eventually(() => !isReady(stores));
    const begun = systemClock.monotonic();
    const fault = faultOf(await stores.inbox.complete(held, doneWith('kept'), systemClock.now() + 60_000));
    expect(fault).toMatchObject({ kind: 'unavailable', retry_after_ms: 100 });
    expect(systemClock.monotonic() - begun).toBeLessThan(commandTimeoutMs);
    await proxy.mend();
    await recovered(stores);
    expect(got(await stores.inbox.complete(held, doneWith('kept'), systemClock.now() + 60_000))).toBe('held');
  });

  it('what was sent when the connection broke may have been carried out', async () => {
    await using server = await redisServer();
    await using proxy = await proxied(server);
    await using stores = await readyStores(proxy.url('redis'), { commandTimeoutMs });
    await wonOn(stores, 1);
    const cut = proxy.cutAfterRequest('the owner whose reply is lost');
    const fault = faultOf(await claimOn(stores, 2, 'the owner whose reply is lost'));
    await cut;
    expect(fault).toMatchObject({ kind: 'unanswered', retry_after_ms: 100 });
    await recovered(stores);
    expect(got(await claimOn(stores, 2, 'another')).kind).toBe('held');
    expect(await wonOn(stores, 2, 'the owner whose reply is lost')).toMatchObject({
      fresh: true,
      strikes: 0,
    });
  });

  it('a reply that never comes is a fault within the bound, and the claim is recognised as its own', async () => {
    await using server = await redisServer();
    await using proxy = await proxied(server);
    await using stores = await readyStores(proxy.url('redis'), { commandTimeoutMs, lookMs: 60_000 });
    proxy.dropReplies('won');
    const begun = systemClock.monotonic();
    expect(faultOf(await claimOn(stores, 1)).kind).toBe('unanswered');
    expect(systemClock.monotonic() - begun).toBeLessThan(boundMs);
    await proxy.mend();
    await recovered(stores);
    expect(await wonOn(stores, 1)).toMatchObject({ fresh: true, strikes: 0, tries: 0 });
    expect(got(await claimOn(stores, 1, 'another')).kind).toBe('held');
  });

  it('a network that swallows everything is a fault within the bound, for each of many, and heals', async () => {
    await using server = await redisServer();
    await using proxy = await proxied(server);
    await using stores = await readyStores(proxy.url('redis'), { commandTimeoutMs, lookMs: 60_000 });
    const { held } = await wonOn(stores, 1);
    proxy.blackHole();
    const begun = systemClock.monotonic();
    const first = claimOn(stores, 2);
    // These wait for the first one's reply before they are sent, and must not wait twice.
    await setImmediate();
    const others = Array.from({ length: 100 }, (_, step) => claimOn(stores, 10 + step));
    for (const answer of await Promise.all([first, ...others]))
      expect(['unanswered', 'unavailable']).toContain(faultOf(answer).kind);
    expect(systemClock.monotonic() - begun).toBeLessThan(boundMs);
    await eventually(() => expect(stores.problems().join()).toContain('not connected'));
    await proxy.mend();
    await recovered(stores);
    expect(got(await stores.inbox.renew(held, 60_000))).toBe('held');
  });

  it('a frozen server is a fault within the bound, and is used again when it goes on', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url, { commandTimeoutMs });
    const { held } = await wonOn(stores, 1);
    await server.pause();
    const begun = systemClock.monotonic();
    expect(faultOf(await stores.inbox.renew(held, 60_000)).retry_after_ms).toBe(100);
    expect(systemClock.monotonic() - begun).toBeLessThan(boundMs);
    server.resume();
    await recovered(stores);
    expect(got(await stores.inbox.renew(held, 60_000))).toBe('held');
  });

  it('a server that is not there yet is waited for as long as one says, and used when it comes', async () => {
    await using server = await redisServer();
    await server.stop();
    await using stores = storesAt(server.url);
    const begun = systemClock.monotonic();
    expect(faultOf(await stores.check(200))).toMatchObject({ kind: 'unavailable', retry_after_ms: 100 });
    expect(systemClock.monotonic() - begun).toBeLessThan(10_000);
    await eventually(() => expect(stores.problems().join()).toContain('ECONNREFUSED'));
    const checked = stores.check(60_000);
    await server.restart();
    expect(got(await checked)).toMatchObject({ role: 'master', policy: 'noeviction' });
    await wonOn(stores, 1);
  });

  it('a server that has forgotten the scripts is told them again', async () => {
    await using server = await redisServer();
    await using stores = await readyStores(server.url);
    const { held } = await wonOn(stores, 1);
    await typeAt(server, 'SCRIPT', 'FLUSH');
    expect(got(await stores.inbox.renew(held, 60_000))).toBe('held');
    await wonOn(stores, 2);
  });
});

describe.concurrent('who one is to redis', { timeout: 90_000 }, () => {
  it('a wrong password is said at once, and neither it nor a right one is ever shown', async () => {
    await using server = await redisServer();
    await typeAt(server, 'CONFIG', 'SET', 'requirepass', 'open-sesame');
    const told: string[] = [];
    const log = (...line: readonly unknown[]): void => void told.push(JSON.stringify(line));
    const at = (user: string) => `redis://${user}@127.0.0.1:${server.port}/3`;
    await using wrong = storesAt(at(':close-sesame'), { log });
    const fault = faultOf(await wrong.check(10_000));
    expect(fault).toMatchObject({ kind: 'invalid' });
    expect(fault.detail).toContain('WRONGPASS');
    expect(fault).not.toHaveProperty('retry_after_ms');
    await using right = await readyStores(at('default:open-sesame'), { log });
    await wonOn(right, 1);
    expect(await typeAt(server, 'AUTH', 'open-sesame')).toContain('+OK');
    expect(`${told.join()} ${fault.detail} ${wrong.problems().join()}`).not.toMatch(/sesame/);
    expect(told.join()).toContain(`127.0.0.1:${server.port}`);
  });

  it('the number of a database in the URL is the one that is used, after a new connection too', async () => {
    await using server = await redisServer();
    await using proxy = await proxied(server);
    await using stores = await readyStores(`${proxy.url('redis')}/3`);
    await wonOn(stores, 1);
    proxy.cut();
    await eventually(() => !isReady(stores));
    await proxy.mend();
    await recovered(stores);
    await wonOn(stores, 2);
    const keyspace = await typeAt(server, 'INFO', 'keyspace');
    expect(keyspace).toContain('db3:');
    expect(keyspace).not.toContain('db0:');
  });

  it('what is no URL of a redis is invalid', async () => {
    for (const url of ['127.0.0.1:6379', 'http://127.0.0.1', 'redis:///0', '']) {
      await using stores = storesAt(url);
      expect(faultOf(await stores.check(0)).kind, url).toBe('invalid');
      expect(faultOf(await claimOn(stores, 1)).kind, url).toBe('unavailable');
    }
  });
});
