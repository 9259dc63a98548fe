import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findBinary } from './server-binary.ts';

/** A program of that name which says that version. */
const program = async (name: string, says: string): Promise<{ folder: string; path: string }> => {
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-bin-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\necho '${says}'\n`, { mode: 0o755 });
  return { folder, path };
};

it('takes the one that the variable names before any on the PATH', async () => {
  const named = await program('mine', 'nats-server: v2.12.0');
  const onPath = await program('nats-server', 'nats-server: v2.15.1');
  const found = await findBinary('nats', { NATS_SERVER_BIN: named.path, PATH: onPath.folder });
  expect(found).toEqual({ path: named.path, version: '2.12.0' });
});

it('passes over one on the PATH that is too old', async () => {
  const old = await program('nats-server', 'nats-server: v2.9.10');
  const recent = await program('nats-server', 'nats-server: v2.10.0-RC.1');
  const PATH = `${old.folder}:relative:${recent.folder}`;
  expect(await findBinary('nats', { PATH })).toEqual({ path: recent.path, version: '2.10.0' });
});

it('takes Valkey for Redis, in the order of the PATH', async () => {
  const old = await program(
    'redis-server',
    'Redis server v=6.2.14 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64',
  );
  const valkey = await program(
    'valkey-server',
    'Valkey server v=8.1.1 sha=00000000:0 malloc=jemalloc bits=64',
  );
  const PATH = `${old.folder}:${valkey.folder}`;
  expect(await findBinary('redis', { PATH })).toEqual({ path: valkey.path, version: '8.1.1' });
});

it('says in one sentence what is wrong with the one that is named', async () => {
  const old = await program('nats-server', 'nats-server: v2.9.10');
  await expect(findBinary('nats', { NATS_SERVER_BIN: old.path })).rejects.toThrow(
    `NATS_SERVER_BIN names ${old.path}, which is no nats-server of 2.10 or newer.`,
  );
  await expect(findBinary('redis', { REDIS_SERVER_BIN: '/nowhere/redis' })).rejects.toThrow(
    'REDIS_SERVER_BIN names /nowhere/redis, which is no redis-server of 7.0 or newer.',
  );
});

it('says in one sentence what to do where there is none', async () => {
  await expect(findBinary('nats', { PATH: '' }, '/nowhere')).rejects.toThrow(
    'there is no nats-server of 2.10 or newer; run `node tools/bootstrap.mjs servers`, or name one in NATS_SERVER_BIN.',
  );
});

it('takes for the floor the oldest line alone', async () => {
  const recent = await program('nats-server-2.10', 'nats-server: v2.11.0');
  const floor = await program('nats-server-2.10', 'nats-server: v2.10.27');
  const found = await findBinary('nats-floor', { PATH: `${recent.folder}:${floor.folder}` });
  expect(found).toEqual({ path: floor.path, version: '2.10.27' });
  await expect(findBinary('nats-floor', { NATS_SERVER_BIN_OLD: recent.path })).rejects.toThrow(
    'no nats-server',
  );
});
