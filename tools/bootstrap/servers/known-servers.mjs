// The servers that tests run on, how they name their versions, and which package brings each. `packages/testbed` finds them
// in the same order; it cannot import this, being a layer of the product.

/**
 * @typedef {{
 *   readonly name: string, readonly variable: string, readonly urlVariable?: string, readonly programs: readonly string[],
 *   readonly version: RegExp, readonly isWanted: (version: readonly number[]) => boolean, readonly needed: boolean,
 *   readonly package: string, readonly suites: (codename: string) => readonly string[],
 * }} KnownServer `needed` by every check; the others widen `check:all`
 */

const natsVersion = /^nats-server: v(\d+)\.(\d+)\.(\d+)/m;
const redisVersion = /^(?:Redis|Valkey) server v=(\d+)\.(\d+)\.(\d+)/m;

/** @param {number} major @param {number} minor */
const since =
  (major, minor) =>
  (/** @type {readonly number[]} */ [haveMajor = 0, haveMinor = 0]) =>
    haveMajor > major || (haveMajor === major && haveMinor >= minor);

/** @type {readonly KnownServer[]} */
export const knownServers = [
  {
    name: 'nats-server',
    variable: 'NATS_SERVER_BIN',
    urlVariable: 'FOLDMESH_TEST_NATS_URL',
    programs: ['nats-server'],
    version: natsVersion,
    isWanted: since(2, 10),
    needed: true,
    package: 'nats-server',
    // A release may carry one that is too old, and this program needs nothing but a libc, of any age.
    suites: () => ['testing'],
  },
  {
    name: 'redis-server',
    variable: 'REDIS_SERVER_BIN',
    urlVariable: 'FOLDMESH_TEST_REDIS_URL',
    programs: ['redis-server', 'valkey-server'],
    version: redisVersion,
    isWanted: since(7, 0),
    needed: true,
    package: 'redis-server',
    suites: (codename) => [codename],
  },
  {
    // The oldest line that we promise to run on.
    name: 'nats-server-2.10',
    variable: 'NATS_SERVER_BIN_OLD',
    programs: ['nats-server-2.10'],
    version: natsVersion,
    isWanted: ([major, minor]) => major === 2 && minor === 10,
    needed: false,
    package: 'nats-server',
    suites: () => ['trixie'],
  },
  {
    name: 'valkey-server',
    variable: 'VALKEY_SERVER_BIN',
    programs: ['valkey-server'],
    version: redisVersion,
    isWanted: since(7, 2),
    needed: false,
    package: 'valkey-server',
    // Debian 12 has it among its backports alone, and that of a later release wants a newer libc.
    suites: (codename) => [codename, `${codename}-backports`],
  },
];
