import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../check/command.ts';
import { folderForTest } from '../scene.ts';
import { findServer, ownServers, versionOf } from './find-server.mjs';
import { type KnownServer, knownServers } from './known-servers.mjs';

const known = (name: string): KnownServer => {
  const server = knownServers.find((one) => one.name === name);
  if (server === undefined) throw new Error(`no server ${name}`);
  return server;
};

/** A program that says its version and nothing else. */
const program = (path: string, says: string): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${says}'\n`, { mode: 0o755 });
  return path;
};

it('takes the named one, then one on the PATH that is new enough, then its own', async () => {
  const root = folderForTest();
  const server = known('nats-server');
  expect(await findServer(root, server, {})).toBeUndefined();
  const own = program(join(ownServers(root), 'nats-server'), 'nats-server: v2.15.1');
  const old = program(join(root, 'old', 'nats-server'), 'nats-server: v2.9.10');
  const environment: Record<string, string> = { PATH: dirname(old) };
  expect(await findServer(root, server, environment)).toEqual({ path: own, version: '2.15.1' });
  const installed = program(join(root, 'installed', 'nats-server'), 'nats-server: v2.10.27');
  environment['PATH'] = `${dirname(old)}:${dirname(installed)}`;
  expect(await findServer(root, server, environment)).toEqual({ path: installed, version: '2.10.27' });
  environment['NATS_SERVER_BIN'] = program(join(root, 'mine'), 'nats-server: v3.0.0');
  expect(await findServer(root, server, environment)).toEqual({ path: join(root, 'mine'), version: '3.0.0' });
  environment['NATS_SERVER_BIN'] = old;
  expect(await findServer(root, server, environment)).toEqual({ path: old, version: 'not usable' });
});

it.each([
  ['nats-server', 'nats-server: v2.9.25', undefined],
  ['nats-server', 'nats-server: v2.10.0-beta.1', '2.10.0'],
  ['nats-server', 'redis-server v=9.0.0', undefined],
  ['redis-server', 'Redis server v=6.2.14 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64', undefined],
  ['redis-server', 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '7.0.15'],
  ['redis-server', 'Valkey server v=8.1.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '8.1.1'],
  ['nats-server-2.10', 'nats-server: v2.10.27', '2.10.27'],
  ['nats-server-2.10', 'nats-server: v2.11.0', undefined],
  ['valkey-server', 'Valkey server v=7.2.4 sha=0 malloc=libc bits=64', '7.2.4'],
])('wants as %s one that says %j: %s', async (name, says, version) => {
  expect(await versionOf(known(name), program(join(folderForTest(), 'program'), says))).toBe(version);
});

it('has no version of a program that fails or is not there', async () => {
  const path = join(folderForTest(), 'program');
  expect(await versionOf(known('nats-server'), path)).toBeUndefined();
  writeFileSync(path, '#!/bin/sh\necho nats-server: v2.15.1\nexit 1\n', { mode: 0o755 });
  expect(await versionOf(known('nats-server'), path)).toBeUndefined();
});

it.each(knownServers.filter(({ needed }) => needed))('finds a $name here that answers', async (server) => {
  const found = await findServer(resolve(import.meta.dirname, '../../..'), server);
  if (found === undefined) throw new Error('run `node tools/bootstrap.mjs servers` once');
  expect(await run([found.path, '--version'])).toMatchObject({
    code: 0,
    output: expect.stringContaining(found.version),
  });
});
