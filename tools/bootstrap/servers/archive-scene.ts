import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { run } from '../../check/command.ts';

/** Writes a file and the folders that lead to it. */
export const write = (path: string, text: string, mode = 0o644): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
};

/**
 * An archive of packages in a folder, as apt wants it, for the release `testname`: a service `echo-server` whose program
 * lies among its tools and says what it is told. Its address has no space, which no archive's may.
 */
export const archiveForTest = async (says: string): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const architecture = (await command(['dpkg', '--print-architecture'])).trim();
  const tools = join(folder, 'trees', 'echo-tools');
  write(join(tools, 'usr/bin/echo-check'), `#!/bin/sh\necho '${says}'\n`, 0o755);
  const service = join(folder, 'trees', 'echo-server');
  mkdirSync(join(service, 'usr/bin'), { recursive: true });
  symlinkSync('echo-check', join(service, 'usr/bin/echo-server'));
  const index = [
    await build(folder, architecture, tools, []),
    await build(folder, architecture, service, ['Depends: echo-tools']),
  ].join('\n');
  const path = `main/binary-${architecture}/Packages`;
  write(join(folder, 'dists/testname', path), index);
  const lines = ['Codename: testname', `Architectures: ${architecture}`, 'Components: main'];
  const date = 'Date: Thu, 01 Jan 2026 00:00:00 UTC';
  const sum = ` ${sha256(Buffer.from(index))} ${index.length} ${path}`;
  write(join(folder, 'dists/testname/Release'), `${[...lines, date, 'SHA256:', sum].join('\n')}\n`);
  return `file:${folder}`;
};

/** Builds the package of a tree and returns its paragraph in the index. */
const build = async (
  folder: string,
  architecture: string,
  tree: string,
  relations: readonly string[],
): Promise<string> => {
  const name = tree.slice(tree.lastIndexOf('/') + 1);
  const control = [`Package: ${name}`, 'Version: 1:1.2-3~x', `Architecture: ${architecture}`, ...relations];
  const about = ['Maintainer: nobody <nobody@example.org>', 'Description: for a test'];
  write(join(tree, 'DEBIAN', 'control'), `${[...control, ...about].join('\n')}\n`);
  const file = `pool/main/e/echo/${name}_1.2-3~x_${architecture}.deb`;
  mkdirSync(join(folder, dirname(file)), { recursive: true });
  await command(['dpkg-deb', '--root-owner-group', '-b', tree, join(folder, file)]);
  const bytes = readFileSync(join(folder, file));
  const found = [`Filename: ${file}`, `Size: ${bytes.length}`, `SHA256: ${sha256(bytes)}`];
  return `${[...control, ...about, ...found].join('\n')}\n`;
};

const command = async (words: readonly string[]): Promise<string> => {
  const { code, output } = await run(words);
  if (code !== 0) throw new Error(`${words.join(' ')} failed: ${output}`);
  return output;
};

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
