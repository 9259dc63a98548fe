import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { bareEnvironment } from './environment.mjs';
import { Refusal, Stopped, say } from './refusal.mjs';
import { isNode, isPnpm, nodeVersion, pnpmVersion } from './wanted.mjs';

/** The published builds of Node; they are the official binaries and run no install script. */
const builds = new Set(['linux-x64', 'linux-arm64']);

/**
 * The Node to run with, if there is one already: our own process, or the one in `.tools` where it answers as it should.
 * @param {string} root
 * @returns {Promise<string | undefined>}
 */
export const findNode = async (root) => {
  if (isNode(process.versions.node)) return process.execPath;
  const own = join(root, '.tools', 'bin', 'node');
  return (await answers(root, own, own, isNode)) ? own : undefined;
};

/**
 * The pnpm to install with, if there is one already: ours, or the machine's where its version is one we can use.
 * @param {string} root
 * @param {string} node
 * @returns {Promise<string | undefined>}
 */
export const findPnpm = async (root, node) => {
  for (const program of [join(root, '.tools', 'bin', 'pnpm'), 'pnpm']) {
    if (await answers(root, node, program, isPnpm)) return program;
  }
  return undefined;
};

/**
 * Fetches what is missing into a folder of its own, tries it, and only then renames it into place.
 * @param {string} root
 * @param {boolean} withNode else pnpm alone; what was in `.tools` before goes, so one that is in use must come again
 */
export const fetchTools = async (root, withNode) => {
  const tools = join(root, '.tools');
  const packages = [...(withNode ? [`node-${buildOf()}@${nodeVersion}`] : []), `pnpm@${pnpmVersion}`];
  for (const name of readdirSync(tools)) {
    if (/^(staging|old)-/.test(name)) rmSync(join(tools, name), { recursive: true, force: true });
  }
  say(`fetching ${withNode ? `Node ${nodeVersion} and ` : ''}pnpm ${pnpmVersion} into .tools, once …`);
  const staging = mkdtempSync(join(tools, 'staging-'));
  await npmInstall(root, staging, packages);
  const node = withNode ? join(staging, 'bin', 'node') : process.execPath;
  if (withNode && !(await answers(root, node, node, isNode))) {
    throw new Refusal(
      `Node ${nodeVersion} does not run on this machine; install Node 24 yourself and run this again.`,
    );
  }
  if (!(await answers(root, node, join(staging, 'bin', 'pnpm'), isPnpm))) {
    throw new Refusal(
      `pnpm ${pnpmVersion} does not run on this machine; install pnpm 10 yourself and run this again.`,
    );
  }
  const old = mkdtempSync(join(tools, 'old-'));
  // `bin` last: whoever looks without the lock sees either the old tools whole or the new ones.
  for (const name of ['bin', 'lib'])
    if (existsSync(join(tools, name))) renameSync(join(tools, name), join(old, name));
  for (const name of ['lib', 'bin']) renameSync(join(staging, name), join(tools, name));
  rmSync(staging, { recursive: true, force: true });
  rmSync(old, { recursive: true, force: true });
};

const buildOf = () => {
  const build = `${process.platform}-${process.arch}`;
  // The builds are linked against glibc; without it they do not even start.
  const isMusl =
    process.platform === 'linux' && !('glibcVersionRuntime' in Object(process.report?.getReport()).header);
  if (builds.has(build) && !isMusl) return build;
  throw new Refusal(
    `this is Node ${process.versions.node}, foldmesh needs Node 24 or newer, and there is none to fetch for ` +
      `${build}${isMusl ? ' with musl' : ''}; install it and run this again.`,
  );
};

/**
 * @param {string} root
 * @param {string} staging
 * @param {readonly string[]} packages
 */
const npmInstall = async (root, staging, packages) => {
  const quick = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=120000'];
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const command = [...npm(), 'i', '-g', '--prefix', staging, ...quick, ...quiet, ...packages];
  const { code, output, failed } = await runChild(command, {
    cwd: staging,
    env: bareEnvironment(root, process.execPath),
    kept: true,
  });
  if (code === 0) return;
  rmSync(staging, { recursive: true, force: true });
  if (code > 128) throw new Stopped(code);
  if (failed !== undefined) {
    throw new Refusal(
      `npm is missing, which fetches ${packages.join(' and ')}; install npm and run this again.`,
    );
  }
  throw new Refusal(
    `npm could not fetch ${packages.join(' and ')} (${reasonIn(output)}); the first run needs the network.`,
  );
};

/** The npm that started us, else the one on the PATH. */
const npm = () => {
  const started = process.env['npm_execpath'];
  return started !== undefined && /npm-cli\.js$/.test(started) && existsSync(started)
    ? [process.execPath, started]
    : ['npm'];
};

/** @param {string} output */
const reasonIn = (output) =>
  /npm error (?!code|errno|syscall|path|A complete log)(.{1,200})/i.exec(output)?.[1]?.trim() ??
  'it did not say why';

/**
 * @param {string} root
 * @param {string} node
 * @param {string} program
 * @param {(version: string) => boolean} isWanted
 */
const answers = async (root, node, program, isWanted) => {
  if (program.includes('/') && !existsSync(program)) return false;
  // A shim of corepack would ask the network for a version, and perhaps the user for leave.
  const env = {
    ...bareEnvironment(root, node),
    COREPACK_ENABLE_NETWORK: '0',
    COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
  };
  const { code, output } = await runChild([program, '--version'], { cwd: root, env, kept: true });
  return code === 0 && isWanted(output);
};
