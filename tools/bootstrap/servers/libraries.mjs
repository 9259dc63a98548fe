// What an unpacked program still lacks on this machine. The machine's own libraries come first, its libc always: only what
// the loader does not find is taken from packages, and put beside the program.

import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runChild } from '../child.mjs';

/** @typedef {import('./apt.mjs').Apt} Apt */

/**
 * Unpacks libraries until the program finds all of them: first those whose package is called as they are, which is the
 * rule, then all the rest that it depends on.
 * @param {string} program
 * @param {string} folder where it was unpacked
 * @param {Apt} apt
 * @param {readonly string[]} dependencies names of the packages to take from
 */
export const completeLibraries = async (program, folder, apt, dependencies) => {
  const libraries = dependencies.filter((name) => /^lib(?!c6$|c-)/.test(name));
  const steps = [
    (/** @type {readonly string[]} */ missing) =>
      libraries.filter((name) => missing.some((file) => packageNames(file).includes(name))),
    () => libraries,
  ];
  for (const step of steps) {
    const missing = await missingLibraries(program, folder);
    const names = missing.length === 0 ? [] : step(missing);
    if (names.length > 0) await apt.unpack(names, folder);
  }
};

/**
 * What a library's package is called: `libjemalloc.so.2` lies in `libjemalloc2`, `liblua5.1.so.0` in `liblua5.1-0`, and
 * those that came anew with 64 bits of time say so.
 * @param {string} file
 */
export const packageNames = (file) => {
  const [, stem = '', version = ''] = /^(.*)\.so(?:\.(.*))?$/.exec(file) ?? [];
  const name = `${stem}${/\d$/.test(stem) && version !== '' ? '-' : ''}${version}`
    .toLowerCase()
    .replaceAll('_', '-');
  return [name, `${name}t64`];
};

/**
 * @param {string} program
 * @param {string} folder
 */
const missingLibraries = async (program, folder) => {
  const { output } = await runChild(['ldd', program], {
    env: { ...process.env, LC_ALL: 'C', LD_LIBRARY_PATH: libraryFolders(folder).join(':') },
    kept: true,
  });
  return [...output.matchAll(/^\s*(\S+) => not found/gm)].map(([, file = '']) => file);
};

/**
 * The folders in an unpacked package that hold libraries.
 * @param {string} folder
 * @returns {string[]}
 */
export const libraryFolders = (folder) => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const holders = files
    .filter((path) => /\.so(\.[\d.]+)?$/.test(path))
    .map((path) => join(folder, dirname(path)));
  return [...new Set(holders)].sort();
};
