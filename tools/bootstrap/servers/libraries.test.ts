import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderForTest } from '../scene.ts';
import { packagesIn } from './apt.mjs';
import { libraryFolders, packageNames } from './libraries.mjs';

it.each([
  ['libjemalloc.so.2', 'libjemalloc2'],
  ['liblzf.so.1', 'liblzf1'],
  ['liblua5.1.so.0', 'liblua5.1-0'],
  ['libhiredis.so.1.1.0', 'libhiredis1.1.0'],
  ['libssl.so.3', 'libssl3t64'],
  ['libfoo_bar.so', 'libfoo-bar'],
])('knows that %s lies in %s', (file, name) => {
  expect(packageNames(file)).toContain(name);
});

it('finds the folders that hold libraries', () => {
  const folder = folderForTest();
  const paths = [
    'usr/lib/a/libone.so.1',
    'usr/lib/a/libtwo.so',
    'usr/lib/b/libthree.so.5.3.0',
    'usr/bin/so',
    'etc/x.sorted',
  ];
  for (const path of paths) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), '');
  }
  expect(libraryFolders(folder)).toEqual([join(folder, 'usr/lib/a'), join(folder, 'usr/lib/b')]);
});

it('reads what a package needs, and where each was built', () => {
  const output = [
    "'http://mirror.example/debian/pool/main/l/liblzf/liblzf1_3.6-3_amd64.deb' liblzf1_3.6-3_amd64.deb 10192 MD5Sum:698d",
    "'http://mirror.example/debian/pool/main/r/redis/redis-server_7.0.15-1%7edeb12u7_amd64.deb' redis-server_5%3a7.0.15-1~deb12u7_amd64.deb 73392 MD5Sum:2113",
  ].join('\n');
  expect(packagesIn(output)).toEqual([
    { name: 'liblzf1', source: 'http://mirror.example/debian/pool/main/l/liblzf' },
    { name: 'redis-server', source: 'http://mirror.example/debian/pool/main/r/redis' },
  ]);
});
