// Packages of the distribution, downloaded and unpacked without touching the system: lists, state and cache of our own, no
// word of what is installed, no hooks, no root. The machine's proxies and keys hold, because its settings are read first.

import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../child.mjs';
import { Stopped } from '../refusal.mjs';

/**
 * @typedef {import('./apt-sources.mjs').Archive} Archive
 * @typedef {{ readonly name: string, readonly source: string }} Package `source` is where the archive keeps what was built
 *   together
 * @typedef {{
 *   readonly needs: (name: string) => Promise<Package[]>,
 *   readonly unpack: (names: readonly string[], target: string) => Promise<void>,
 * }} Apt
 */

/**
 * Learns what an archive has in some of its suites.
 * @param {string} folder for all that apt writes
 * @param {Archive} archive
 * @param {readonly string[]} suites one that is not there is passed over
 * @returns {Promise<Apt>}
 */
export const aptFor = async (folder, archive, suites) => {
  for (const name of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'archive.sources'), sourcesFor(archive, suites));
  writeFileSync(join(folder, 'apt.conf'), settingsFor(folder));
  const learnt = await apt(folder, ['update']);
  return {
    needs: async (name) => {
      const command = ['install', '-qq', '--print-uris', '--no-install-recommends', name];
      const { code, output } = await apt(folder, command);
      if (code !== 0) throw new Error(reasonIn(learnt.output) ?? reasonIn(output) ?? 'it did not say why');
      return packagesIn(output);
    },
    unpack: async (names, target) => {
      const debs = mkdtempSync(join(folder, 'debs-'));
      const { code, output } = await apt(folder, ['download', ...names], debs);
      if (code !== 0) throw new Error(reasonIn(output) ?? 'it did not say why');
      for (const deb of readdirSync(debs)) {
        const unpacked = await run(['dpkg', '-x', join(debs, deb), target]);
        if (unpacked.code !== 0) throw new Error(`${deb} cannot be unpacked`);
      }
    },
  };
};

/**
 * @param {Archive} archive
 * @param {readonly string[]} suites
 */
const sourcesFor = ({ uri, signedBy, trusted }, suites) =>
  [
    'Types: deb',
    `URIs: ${uri}`,
    `Suites: ${suites.join(' ')}`,
    'Components: main',
    'Targets: Packages',
    ...(signedBy === undefined ? [] : [`Signed-By: ${signedBy}`]),
    ...(trusted === undefined ? [] : [`Trusted: ${trusted}`]),
    '',
  ].join('\n');

/** @param {string} folder */
const settingsFor = (folder) => {
  const path = (/** @type {string} */ name) => JSON.stringify(join(folder, name));
  return [
    // What others hang onto an update is about the system's own lists.
    '#clear APT::Update::Pre-Invoke;',
    '#clear APT::Update::Post-Invoke;',
    '#clear APT::Update::Post-Invoke-Success;',
    'APT::Default-Release "";',
    // Nobody else could write where we keep things.
    'APT::Sandbox::User "root";',
    'Acquire::Languages "none";',
    'Acquire::Retries "1";',
    'Acquire::http::Timeout "20";',
    'Acquire::https::Timeout "20";',
    `Dir::Etc::SourceList ${path('archive.sources')};`,
    'Dir::Etc::SourceParts "/dev/null";',
    'Dir::Etc::Preferences "/dev/null";',
    'Dir::Etc::PreferencesParts "/dev/null";',
    `Dir::State ${path('state')};`,
    `Dir::State::Lists ${path('state/lists')};`,
    'Dir::State::status "/dev/null";',
    `Dir::Cache ${path('cache')};`,
    `Dir::Cache::Archives ${path('cache/archives')};`,
    '',
  ].join('\n');
};

/**
 * @param {string} output lines of `'address' file bytes hash`
 * @returns {Package[]}
 */
export const packagesIn = (output) =>
  [...output.matchAll(/^'([^']*)\/[^'/]*' ([^_\s]+)_\S+\.deb /gm)].map(([, source = '', name = '']) => ({
    name,
    source,
  }));

/**
 * @param {string} folder
 * @param {readonly string[]} words
 * @param {string} [cwd]
 */
const apt = (folder, words, cwd = folder) =>
  run(['apt-get', '-q', '-c', join(folder, 'apt.conf'), ...words], cwd);

/**
 * @param {readonly string[]} command
 * @param {string} [cwd]
 */
const run = async (command, cwd) => {
  const ended = await runChild(command, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
    kept: true,
  });
  if (ended.code > 128) throw new Stopped(ended.code);
  if (ended.failed !== undefined) throw new Error(`${command[0]} is missing`);
  return ended;
};

/** @param {string} output */
const reasonIn = (output) => /^[EW]: (.{1,300})/m.exec(output)?.[1]?.trim();
