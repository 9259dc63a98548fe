import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { archivesIn } from './apt-sources.mjs';

/**
 * @typedef {import('./apt-sources.mjs').Archive} Archive
 * @typedef {{ readonly codename: string, readonly archives: readonly Archive[] }} Debian
 */

/**
 * The Debian that runs here and where it gets its packages from; undefined on anything else, whose archives have neither
 * the suites nor the keys that we ask for.
 * @param {string} etc
 * @returns {Debian | undefined}
 */
export const debianHere = (etc = '/etc') => {
  const release = textOf(join(etc, 'os-release')) ?? '';
  const field = (/** @type {string} */ name) =>
    new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(release)?.[1];
  const codename = field('VERSION_CODENAME');
  if (field('ID') !== 'debian' || codename === undefined) return undefined;
  const archives = archivesIn(sourcesFiles(join(etc, 'apt')), codename);
  return archives.length === 0 ? undefined : { codename, archives };
};

/** @param {string} apt */
const sourcesFiles = (apt) => {
  const folder = join(apt, 'sources.list.d');
  const parts = existsSync(folder) ? readdirSync(folder).sort() : [];
  const paths = [
    join(apt, 'sources.list'),
    ...parts.filter((name) => /\.(list|sources)$/.test(name)).map((name) => join(folder, name)),
  ];
  return paths.flatMap((path) => {
    const text = textOf(path);
    return text === undefined ? [] : [{ path, text }];
  });
};

/**
 * Undefined where it is not there, or not for us to read: such a source is none of ours.
 * @param {string} path
 */
const textOf = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
