import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../check/command.ts';
import { folderForTest } from '../scene.ts';
import { archiveForTest, write } from './archive-scene.ts';
import { fetchServer, removeLeftovers } from './fetch-server.mjs';
import { findServer } from './find-server.mjs';
import type { KnownServer } from './known-servers.mjs';

const server: KnownServer = {
  name: 'echo-server-1',
  variable: 'ECHO_SERVER_BIN',
  programs: ['echo-server-1'],
  version: /^echo (\d+)\.(\d+)\.(\d+)/,
  isWanted: ([major]) => major === 1,
  needed: true,
  package: 'echo-server',
  suites: (codename) => [codename, `${codename}-backports`],
};

const debianAt = (...uris: string[]) => ({
  codename: 'testname',
  archives: uris.map((uri) => ({ uri, trusted: 'yes' })),
});

const checkout = (): string => {
  const root = folderForTest();
  removeLeftovers(root);
  return root;
};

const left = (root: string): string[] => readdirSync(join(root, '.tools', 'servers')).sort();

// The real apt and dpkg, on an archive in a folder; elsewhere there is nothing that could fetch.
const onDebian = it.skipIf(!existsSync('/usr/bin/apt-get'));

onDebian('unpacks a server and what its program lies in, and starts it wherever it is moved', async () => {
  const root = checkout();
  const debian = debianAt('file:/nowhere', await archiveForTest('echo 1.2.3'));
  expect(await fetchServer(root, server, debian)).toBeUndefined();
  expect(left(root)).toEqual(['bin', 'echo-server-1.unpacked']);
  const moved = `${root} moved`;
  renameSync(root, moved);
  const found = await findServer(moved, server, {});
  expect(found).toEqual({ path: join(moved, '.tools/servers/bin/echo-server-1'), version: '1.2.3' });
  // The folder is removed by its first name.
  renameSync(moved, root);
});

onDebian('replaces one that no longer runs', async () => {
  const root = checkout();
  const starter = join(root, '.tools/servers/bin/echo-server-1');
  write(starter, '#!/bin/sh\nexit 1\n', 0o755);
  write(join(root, '.tools/servers/echo-server-1.unpacked/usr/bin/old'), '');
  expect(await findServer(root, server, {})).toBeUndefined();
  expect(await fetchServer(root, server, debianAt(await archiveForTest('echo 1.2.3')))).toBeUndefined();
  expect((await run([starter])).output).toBe('echo 1.2.3\n');
  removeLeftovers(root);
  expect(left(root)).toEqual(['bin', 'echo-server-1.unpacked']);
});

onDebian('leaves nothing behind of one that is too old, or cannot be had, and says why', async () => {
  const root = checkout();
  const old = await fetchServer(root, server, debianAt(await archiveForTest('echo 0.9.0')));
  expect(old).toBe('echo-server-1 does not run on this machine, or is too old');
  expect(await fetchServer(root, server, debianAt('file:/nowhere'))).toContain('/nowhere');
  expect(
    await fetchServer(root, { ...server, package: 'none-such' }, debianAt('file:/nowhere')),
  ).toBeDefined();
  expect(left(root)).toEqual(['bin']);
});

it('removes what a killed process left half done', () => {
  const root = checkout();
  mkdirSync(join(root, '.tools/servers/staging-nats-server-a/unpacked'), { recursive: true });
  mkdirSync(join(root, '.tools/servers/old-b'));
  removeLeftovers(root);
  expect(left(root)).toEqual(['bin']);
});
