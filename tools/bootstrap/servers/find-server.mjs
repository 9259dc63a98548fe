import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { runChild } from '../child.mjs';

/**
 * @typedef {import('./known-servers.mjs').KnownServer} KnownServer
 * @typedef {{ readonly path: string, readonly version: string }} FoundServer
 */

/**
 * Where our own servers lie, with the machine's `PATH` before them.
 * @param {string} root
 */
export const ownServers = (root) => join(root, '.tools', 'servers', 'bin');

/**
 * The server that a variable names, else a new enough one on the PATH, else ours from before. One that a variable names is
 * the answer even where it does not run: whoever named it wants to hear of it, and not to get another.
 * @param {string} root
 * @param {KnownServer} server
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<FoundServer | undefined>}
 */
export const findServer = async (root, server, environment = process.env) => {
  const named = environment[server.variable] || undefined;
  if (named !== undefined) return { path: named, version: (await versionOf(server, named)) ?? 'not usable' };
  const folders = (environment['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  for (const folder of [...folders, ownServers(root)]) {
    for (const program of server.programs) {
      const path = join(folder, program);
      const version = isProgram(path) ? await versionOf(server, path) : undefined;
      if (version !== undefined) return { path, version };
    }
  }
  return undefined;
};

/**
 * The version of a program that runs and is wanted.
 * @param {KnownServer} server
 * @param {string} path
 * @returns {Promise<string | undefined>}
 */
export const versionOf = async ({ version, isWanted }, path) => {
  const { code, output } = await runChild([path, '--version'], { kept: true });
  const parts = version.exec(output)?.slice(1).map(Number);
  return code === 0 && parts !== undefined && isWanted(parts) ? parts.join('.') : undefined;
};

/** @param {string} path */
const isProgram = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
