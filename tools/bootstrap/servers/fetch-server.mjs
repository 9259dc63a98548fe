import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Stopped } from '../refusal.mjs';
import { aptFor } from './apt.mjs';
import { ownServers, versionOf } from './find-server.mjs';
import { completeLibraries, libraryFolders } from './libraries.mjs';

/**
 * @typedef {import('./apt-sources.mjs').Archive} Archive
 * @typedef {import('./debian.mjs').Debian} Debian
 * @typedef {import('./known-servers.mjs').KnownServer} KnownServer
 */

/** Archives that are asked before we give up: each may take its time to say no. */
const archivesMax = 3;

/**
 * Fetches a server into a folder of its own, tries it, and only then renames it into place.
 * @param {string} root
 * @param {KnownServer} server
 * @param {Debian} debian
 * @returns {Promise<string | undefined>} why there is none; undefined where there is one now
 */
export const fetchServer = async (root, server, { codename, archives }) => {
  let reason = 'no archive to ask';
  for (const archive of archives.slice(0, archivesMax)) {
    const staging = mkdtempSync(join(root, '.tools', 'servers', `staging-${server.name}-`));
    try {
      await fetchFrom(archive, server, codename, staging);
      await putInPlace(root, server, staging);
      return undefined;
    } catch (error) {
      if (error instanceof Stopped) throw error;
      reason = error instanceof Error ? error.message : String(error);
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
  }
  return reason;
};

/**
 * What a killed process left half done.
 * @param {string} root
 */
export const removeLeftovers = (root) => {
  const servers = join(root, '.tools', 'servers');
  mkdirSync(ownServers(root), { recursive: true });
  for (const name of readdirSync(servers)) {
    if (/^(staging|old)-/.test(name)) rmSync(join(servers, name), { recursive: true, force: true });
  }
};

/**
 * @param {Archive} archive
 * @param {KnownServer} server
 * @param {string} codename
 * @param {string} staging
 */
const fetchFrom = async (archive, server, codename, staging) => {
  const apt = await aptFor(mkdtempSync(join(staging, 'apt-')), archive, server.suites(codename));
  const needed = await apt.needs(server.package);
  const source = needed.find(({ name }) => name === server.package)?.source;
  if (source === undefined) throw new Error(`there is no package ${server.package}`);
  // The program may lie in another package than its service: those are built together.
  const own = needed.filter((one) => one.source === source).map(({ name }) => name);
  const unpacked = join(staging, 'unpacked');
  mkdirSync(unpacked);
  await apt.unpack(own, unpacked);
  const others = needed.map(({ name }) => name).filter((name) => !own.includes(name));
  await completeLibraries(join(unpacked, programIn(server, unpacked)), unpacked, apt, others);
};

/**
 * @param {KnownServer} server
 * @param {string} unpacked
 * @returns {string} its path within
 */
const programIn = (server, unpacked) => {
  const program = ['usr/bin', 'usr/sbin']
    .map((folder) => join(folder, server.package))
    .find((path) => existsSync(join(unpacked, path)));
  if (program === undefined) throw new Error(`the package ${server.package} has no program of that name`);
  return program;
};

/**
 * @param {string} root
 * @param {KnownServer} server
 * @param {string} staging
 */
const putInPlace = async (root, server, staging) => {
  const servers = join(root, '.tools', 'servers');
  const unpacked = join(staging, 'unpacked');
  const starter = join(staging, server.name);
  writeFileSync(starter, starterFor(server, unpacked), { mode: 0o755 });
  mkdirSync(join(staging, 'bin'));
  // Beside each other as they will be, so that what is tried is what is put in place.
  renameSync(unpacked, join(staging, server.name + folderEnding));
  renameSync(starter, join(staging, 'bin', server.name));
  const version = await versionOf(server, join(staging, 'bin', server.name));
  if (version === undefined) throw new Error(`${server.name} does not run on this machine, or is too old`);
  const target = join(servers, server.name + folderEnding);
  if (existsSync(target)) renameSync(target, join(mkdtempSync(join(servers, 'old-')), server.name));
  renameSync(join(staging, server.name + folderEnding), target);
  // The starter last: whoever looks without the lock sees either no server or a whole one.
  renameSync(join(staging, 'bin', server.name), join(ownServers(root), server.name));
};

const folderEnding = '.unpacked';

/**
 * A script that starts the program with the libraries beside it, wherever the checkout has been moved.
 * @param {KnownServer} server
 * @param {string} unpacked
 */
const starterFor = (server, unpacked) => {
  const folders = libraryFolders(unpacked).map((folder) => `$home/${relative(unpacked, folder)}`);
  return [
    '#!/bin/sh',
    `home=$(dirname -- "$(readlink -f -- "$0")")/../${server.name}${folderEnding}`,
    ...(folders.length === 0 ? [] : [`export LD_LIBRARY_PATH="${folders.join(':')}"`]),
    `exec "$home/${programIn(server, unpacked)}" "$@"`,
    '',
  ].join('\n');
};
