import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../lock.mjs';
import { say } from '../refusal.mjs';
import { debianHere } from './debian.mjs';
import { fetchServer, removeLeftovers } from './fetch-server.mjs';
import { findServer } from './find-server.mjs';
import { knownServers } from './known-servers.mjs';

/**
 * @typedef {import('./find-server.mjs').FoundServer} FoundServer
 * @typedef {import('./known-servers.mjs').KnownServer} KnownServer
 * @typedef {{ readonly server: KnownServer, readonly found?: FoundServer, readonly reason?: string }} Prepared
 */

/** What was sought in vain is not sought again by every run of the checks: without a network each would wait for it. */
const vainMs = 60 * 60_000;

/**
 * The servers for tests, fetched where they are missing and can be had. A server that cannot is no failure of its own: the
 * tests that need it say what to do, and may find it in a container.
 * @param {string} root
 * @param {{ readonly again: boolean }} settings `again`: also what was sought in vain a moment ago
 * @returns {Promise<Prepared[]>}
 */
export const prepareServers = async (root, { again }) => {
  const before = await Promise.all(knownServers.map((server) => look(root, server)));
  if (before.every((one) => isSettled(root, one, again))) return before;
  const onWait = (/** @type {{ pid: number }} */ { pid }) =>
    say(`waiting for process ${pid}, which is installing …`);
  return withLock(join(root, '.tools', 'lock'), () => prepareAlone(root, again), { onWait });
};

/**
 * @param {string} root
 * @param {boolean} again
 */
const prepareAlone = async (root, again) => {
  removeLeftovers(root);
  const debian = debianHere();
  // Whoever had the lock before us may have fetched what we miss.
  const now = await Promise.all(knownServers.map((server) => look(root, server)));
  const missing = now.filter((one) => !isSettled(root, one, again)).map(({ server }) => server);
  if (debian !== undefined && missing.length > 0)
    say(`fetching ${missing.map(({ name }) => name).join(', ')} into .tools for tests, once …`);
  const fetched = await Promise.allSettled(
    now.map(async (one) => {
      if (!missing.includes(one.server)) return one;
      const reason = debian === undefined ? 'this is no Debian' : await fetchServer(root, one.server, debian);
      note(root, one.server, reason);
      return look(root, one.server);
    }),
  );
  // Only after all have ended: the lock goes with us.
  return fetched.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
};

/**
 * @param {string} root
 * @param {KnownServer} server
 * @returns {Promise<Prepared>}
 */
const look = async (root, server) => {
  const found = await findServer(root, server);
  if (found !== undefined) return { server, found };
  const path = notePath(root, server);
  return { server, ...(existsSync(path) ? { reason: readFileSync(path, 'utf8') } : {}) };
};

/**
 * @param {string} root
 * @param {Prepared} prepared
 * @param {boolean} again
 */
const isSettled = (root, { server, found, reason }, again) => {
  if (found !== undefined) return true;
  if (server.urlVariable !== undefined && process.env[server.urlVariable]) return true;
  return !again && reason !== undefined && Date.now() - statSync(notePath(root, server)).mtimeMs < vainMs;
};

/**
 * Why there is no such server, until there is one.
 * @param {string} root
 * @param {KnownServer} server
 * @param {string | undefined} reason
 */
const note = (root, server, reason) => {
  const path = notePath(root, server);
  if (reason === undefined) return rmSync(path, { force: true });
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, reason);
};

/** @param {string} root @param {KnownServer} server */
const notePath = (root, { name }) => join(root, '.tools', 'servers', `${name}.missing`);
