import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { bareEnvironment } from './environment.mjs';
import { Refusal, Stopped, say, unwritable } from './refusal.mjs';

/**
 * Makes `node_modules` what the lockfile says, from the store where it can.
 * @param {string} root
 * @param {string} node
 * @param {string} pnpm
 */
export const install = async (root, node, pnpm) => {
  const modules = join(root, 'node_modules');
  if (existsSync(modules) && !isWritable(modules)) throw new Refusal(unwritable(modules));
  say('installing packages …');
  // `--prod=false`: under NODE_ENV=production the tests would find no test runner.
  const quick = [
    '--prod=false',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
    '--reporter=append-only',
  ];
  // Modules of another store or layout are made anew without asking: what they hold is in the lockfile.
  const command = [
    pnpm,
    'install',
    '--frozen-lockfile',
    '--prefer-offline',
    '--config.confirm-modules-purge=false',
  ];
  const { code, output, failed } = await runChild([...command, ...quick], {
    cwd: root,
    env: bareEnvironment(root, node),
    kept: true,
  });
  if (code === 0) return;
  if (code > 128) throw new Stopped(code);
  throw new Refusal(failed ?? sentenceFor(output, root));
};

/**
 * @param {string} output
 * @param {string} root
 */
const sentenceFor = (output, root) => {
  if (/EACCES|EPERM|EROFS/.test(output)) return unwritable(root);
  if (/ERR_PNPM_OUTDATED_LOCKFILE/.test(output)) {
    return 'pnpm-lock.yaml does not fit the package.json files; run `node tools/bootstrap.mjs exec pnpm install`.';
  }
  const reason = /(?:ERR_PNPM_\w+|ERROR)\s+(.{1,200})/.exec(output)?.[1]?.trim() ?? 'it did not say why';
  const isAway = /ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|META_FETCH_FAIL|NO_OFFLINE/.test(output);
  return `pnpm could not install the packages (${reason}); ${
    isAway ? 'the first run needs the network.' : '`node tools/bootstrap.mjs exec pnpm install` shows more.'
  }`;
};

/** @param {string} folder */
const isWritable = (folder) => {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
