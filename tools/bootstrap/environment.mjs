import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ownServers } from './servers/find-server.mjs';

// `npm run` tells its children about the project and prefix it runs in, which is not where we install.
const npmOnly = /^npm_config_(prefix|local_prefix|global_prefix|engine_strict|init_module)$/;

/**
 * The environment of what we start for the user: our tools first on the PATH, and last the servers for tests, because
 * the machine's own go before them.
 * @param {string} root
 * @param {string} node the Node to use
 * @returns {NodeJS.ProcessEnv}
 */
export const environmentOf = (root, node) => {
  const env = bareEnvironment(root, node);
  const ours = [join(root, '.tools', 'bin'), join(root, 'node_modules', '.bin')];
  return { ...env, PATH: [...ours, env['PATH'], ownServers(root)].join(delimiter) };
};

/**
 * The environment of npm and pnpm at work for us. What lies in `.tools` is not on its PATH: it may be what is broken.
 * @param {string} root
 * @param {string} node
 * @returns {NodeJS.ProcessEnv}
 */
export const bareEnvironment = (root, node) => {
  const own = Object.entries(process.env).filter(([name]) => !npmOnly.test(name));
  const path = [dirname(node), process.env['PATH'] ?? '/usr/bin:/bin'].join(delimiter);
  return { ...Object.fromEntries(own), PATH: path, ...homes(root) };
};

/**
 * Caches inside `.tools` for a user without a home.
 * @param {string} root
 * @returns {Record<string, string>}
 */
const homes = (root) => {
  if (isWritable(homedir())) return {};
  const home = join(root, '.tools', 'home');
  return {
    HOME: home,
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
    npm_config_cache: join(home, 'npm'),
  };
};

/** @param {string} folder */
const isWritable = (folder) => {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
