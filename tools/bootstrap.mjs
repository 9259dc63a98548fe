// Starts everything in this repository on a machine that may have no Node 24, no pnpm and no packages yet. Plain
// JavaScript without a dependency, readable by Node 18: this is what runs before anything else can.
//
// The scripts in package.json `exec` it: npm signals only the shell that it starts, which would die and leave us behind.
//
//   node tools/bootstrap.mjs demo | test | check | check:all | foldmesh … | exec … | prepare | servers

import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from './bootstrap/child.mjs';
import { environmentOf } from './bootstrap/environment.mjs';
import { install } from './bootstrap/install.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { Refusal, Stopped, say, sentenceOf } from './bootstrap/refusal.mjs';
import { prepareServers } from './bootstrap/servers/prepare-servers.mjs';
import { readStamp, stampOf, writeStamp } from './bootstrap/stamp.mjs';
import { fetchTools, findNode, findPnpm } from './bootstrap/toolchain.mjs';
import { nodeVersion } from './bootstrap/wanted.mjs';

const root = resolve(fileURLToPath(import.meta.url), '..', '..');

/**
 * The Node to use, with everything installed. Costs one start of Node and a few file reads where nothing is to do.
 * @returns {Promise<string>}
 */
const prepare = async () => {
  const found = await findNode(root);
  if (found !== undefined && readStamp(root) === stamp(found)) return found;
  const onWait = (/** @type {{ pid: number }} */ { pid }) =>
    say(`waiting for process ${pid}, which is installing …`);
  return withLock(join(root, '.tools', 'lock'), prepareAlone, { onWait });
};

/** Node and pnpm alone, nothing installed. */
const prepareTools = () =>
  withLock(join(root, '.tools', 'lock'), async () => {
    const before = await findNode(root);
    if (before === undefined) await fetchTools(root, true);
    const node = before ?? join(root, '.tools', 'bin', 'node');
    if ((await findPnpm(root, node)) === undefined)
      await fetchTools(root, node.startsWith(join(root, '.tools')));
    return node;
  });

const prepareAlone = async () => {
  const before = await findNode(root);
  if (before === undefined) await fetchTools(root, true);
  const node = before ?? join(root, '.tools', 'bin', 'node');
  if (readStamp(root) === stamp(node)) return node;
  const pnpm = await findPnpm(root, node);
  if (pnpm === undefined) await fetchTools(root, node.startsWith(join(root, '.tools')));
  await install(root, node, pnpm ?? join(root, '.tools', 'bin', 'pnpm'));
  writeStamp(root, stamp(node));
  return node;
};

/** @param {string} node */
const stamp = (node) => stampOf(root, node === process.execPath ? process.versions.node : nodeVersion);

/**
 * @param {string} node
 * @param {readonly string[]} args
 */
const foldmesh = (node, args) => [
  node,
  ...['-C', '@foldmesh/source', '--disable-warning=ExperimentalWarning'],
  join(root, 'packages', 'cli', 'src', 'main.ts'),
  ...args,
];

/**
 * @param {string} node
 * @param {string} mode
 */
const checks = (node, mode) => [node, join(root, 'tools', 'check', 'main.ts'), mode];

/** @type {Record<string, (node: string, args: readonly string[]) => { command: string[], cwd?: string }>} */
const commands = {
  demo: (node, args) => ({
    // Its agent asks one question; nobody has to be there to answer it.
    command: foldmesh(node, [
      'run',
      join('examples', 'licence-audit', 'job.yaml'),
      '--answer',
      'the manifest',
      ...args,
    ]),
    cwd: root,
  }),
  foldmesh: (node, args) => ({ command: foldmesh(node, args) }),
  test: (node) => ({ command: checks(node, 'test'), cwd: root }),
  check: (node) => ({ command: checks(node, 'check'), cwd: root }),
  'check:all': (node) => ({ command: checks(node, 'check:all'), cwd: root }),
  exec: (_, args) => ({ command: [...args], cwd: root }),
};

/** What runs the tests on servers; `check` goes without them. */
const onServers = new Set(['check:all', 'test']);

/** Prints where each server for tests lies; fails where one is missing that every check needs. */
const servers = async () => {
  const prepared = await prepareServers(root, { again: true });
  for (const { server, found, reason } of prepared) {
    if (found !== undefined) process.stdout.write(`${server.name} ${found.version} ${found.path}\n`);
    else say(`there is no ${server.name} (${reason}); name one in ${server.variable}.`);
  }
  return prepared.some(({ server, found }) => server.needed && found === undefined) ? 1 : 0;
};

/** @param {readonly string[]} words */
const main = async ([name = '', ...args]) => {
  if (name === 'prepare') {
    process.stdout.write(`${await prepare()}\n`);
    return 0;
  }
  if (name === 'servers') return servers();
  const commandOf = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (commandOf === undefined || (name === 'exec' && args.length === 0)) {
    throw new Refusal(`say what to do: node tools/bootstrap.mjs ${Object.keys(commands).join(' | ')}.`);
  }
  // pnpm itself is what mends a lockfile that does not fit: it must not wait for an install that cannot be.
  const node = await (name === 'exec' && args[0] === 'pnpm' ? prepareTools() : prepare());
  if (onServers.has(name)) await prepareServers(root, { again: false });
  const { command, cwd } = commandOf(node, args);
  const cache = { NODE_COMPILE_CACHE: join(root, '.tools', 'cache') };
  const env = { ...environmentOf(root, node), ...cache };
  const { code, failed } = await runChild(command, { env, ...(cwd === undefined ? {} : { cwd }) });
  if (failed !== undefined) throw new Refusal(`${command[0]} could not be started (${failed}).`);
  return code;
};

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Stopped)) say(sentenceOf(error, root));
  process.exitCode = error instanceof Stopped ? error.code : 1;
}
