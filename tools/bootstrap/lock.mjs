// One process at a time fetches and installs. The lock is a folder with its owner written inside, made complete and then
// renamed into place, so that there is never a lock without an owner. What a dead process left is taken over.

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf, Refusal } from './refusal.mjs';

const pollMs = 200;
const waitMsMax = 15 * 60_000;

/**
 * @typedef {{ readonly pid: number, readonly host: string, readonly started: string }} Owner
 * @typedef {{ readonly owner?: Owner, readonly onWait?: (owner: Owner) => void, readonly waitMsMax?: number }} LockSettings
 */

/**
 * Runs `work` while nobody else does. Says through `onWait`, once, that it has to wait.
 * @template T
 * @param {string} folder the lock; its parent is made where it is missing
 * @param {() => Promise<T>} work
 * @param {LockSettings} settings
 * @returns {Promise<T>}
 */
export const withLock = async (folder, work, settings = {}) => {
  await take(folder, settings);
  try {
    return await work();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * @param {string} folder
 * @param {LockSettings} settings
 */
const take = async (folder, settings) => {
  const until = Date.now() + (settings.waitMsMax ?? waitMsMax);
  let said = false;
  mkdirSync(join(folder, '..'), { recursive: true });
  while (!claim(folder, settings.owner ?? self())) {
    const owner = ownerOf(folder);
    if (owner !== undefined && !isAlive(owner)) removeStale(folder, owner);
    if (owner === undefined || !isAlive(owner)) continue;
    if (!said) settings.onWait?.(owner);
    said = true;
    if (Date.now() > until) {
      throw new Refusal(
        `process ${owner.pid} has held ${folder} for too long; stop it, or remove that folder.`,
      );
    }
    await wait(pollMs);
  }
};

/**
 * @param {string} folder
 * @param {Owner} owner
 * @returns {boolean} false where somebody else has it
 */
const claim = (folder, owner) => {
  const draft = mkdtempSync(`${folder}-draft-`);
  writeFileSync(join(draft, 'owner.json'), JSON.stringify(owner));
  try {
    renameSync(draft, folder);
    return true;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    const code = codeOf(error);
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    throw error;
  }
};

/**
 * Two may find the same dead owner. Renaming lets one of them win; who finds that he moved a living lock puts it back.
 * @param {string} folder
 * @param {Owner} dead
 */
const removeStale = (folder, dead) => {
  const aside = `${folder}-stale-${process.pid}`;
  try {
    renameSync(folder, aside);
    const moved = ownerOf(aside);
    if (moved !== undefined && moved.pid !== dead.pid && isAlive(moved)) return renameSync(aside, folder);
  } catch {
    // Somebody else was first to take it over.
  }
  rmSync(aside, { recursive: true, force: true });
};

/**
 * @param {string} folder
 * @returns {Owner | undefined} undefined where the lock is gone
 */
const ownerOf = (folder) => {
  try {
    return JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8'));
  } catch {
    return undefined;
  }
};

/** @returns {Owner} */
const self = () => ({ pid: process.pid, host: hostname(), started: startOf(process.pid) });

/**
 * A number may be given to a new process: the time it started tells them apart. Of another machine we know nothing.
 * @param {Owner} owner
 */
const isAlive = ({ pid, host, started }) => {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
  return started === '' || started === startOf(pid);
};

/**
 * The start time of a process in ticks since boot; empty where the system does not tell.
 * @param {number} pid
 */
const startOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? '';
  } catch {
    return '';
  }
};
