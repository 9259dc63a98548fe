import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A hash of all that decides what an install leaves behind; equal stamps need no install and no network.
 * @param {string} root
 * @param {string} nodeVersion
 */
export const stampOf = (root, nodeVersion) => {
  const hash = createHash('sha256').update(`${nodeVersion} ${process.platform} ${process.arch}\n`);
  const settings = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc', 'package.json'];
  for (const path of [...settings, ...manifestsOf(root)]) {
    const file = join(root, path);
    hash
      .update(`${path}\0`)
      .update(existsSync(file) ? readFileSync(file) : 'absent')
      .update('\0');
  }
  return hash.digest('hex');
};

/** @param {string} root */
export const readStamp = (root) => {
  const path = stampPath(root);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

/**
 * @param {string} root
 * @param {string} stamp
 */
export const writeStamp = (root, stamp) => writeFileSync(stampPath(root), stamp);

/** @param {string} root */
const stampPath = (root) => join(root, 'node_modules', '.foldmesh-stamp');

/**
 * The `package.json` of every workspace package, by the list in `pnpm-workspace.yaml`, which is plain enough to be read
 * without a parser: `  - packages/*`.
 * @param {string} root
 * @returns {string[]}
 */
const manifestsOf = (root) => {
  const list =
    /^packages:\n((?: +- .*\n)+)/m.exec(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'))?.[1] ?? '';
  return list
    .split('\n')
    .map((line) => line.replace(/^ +- /, '').replace(/['"]/g, '').trim())
    .filter((pattern) => pattern !== '')
    .flatMap((pattern) => {
      if (!pattern.endsWith('/*')) return [pattern];
      const folder = pattern.slice(0, -2);
      if (!existsSync(join(root, folder))) return [];
      return readdirSync(join(root, folder))
        .sort()
        .map((name) => `${folder}/${name}`);
    })
    .map((folder) => `${folder}/package.json`);
};
