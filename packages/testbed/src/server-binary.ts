import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { systemEnvironment } from '@foldmesh/system';

/** The servers that foldmesh runs on, and, to be tried on them too, the oldest NATS that it promises and the other Redis. */
export type ServerKind = 'nats' | 'nats-floor' | 'redis' | 'valkey';

/** A server that can be started here. */
export interface Binary {
  readonly path: string;
  readonly version: string;
}

interface Wanted {
  readonly variable: string;
  readonly names: readonly string[];
  readonly version: RegExp;
  readonly least: readonly [number, number];
  /** One of exactly the least line, and none that is newer. */
  readonly isFloor?: true;
}

const natsVersion = /^nats-server: v(\d+)\.(\d+)\.(\d+)/m;
const redisVersion = /^(?:Redis|Valkey) server v=(\d+)\.(\d+)\.(\d+)/m;

const wanted: Readonly<Record<ServerKind, Wanted>> = {
  nats: {
    variable: 'NATS_SERVER_BIN',
    names: ['nats-server'],
    version: natsVersion,
    least: [2, 10],
  },
  'nats-floor': {
    variable: 'NATS_SERVER_BIN_OLD',
    names: ['nats-server-2.10'],
    version: natsVersion,
    least: [2, 10],
    isFloor: true,
  },
  // Valkey is the same server under another name, and began at 7.2.
  redis: {
    variable: 'REDIS_SERVER_BIN',
    names: ['redis-server', 'valkey-server'],
    version: redisVersion,
    least: [7, 0],
  },
  valkey: {
    variable: 'VALKEY_SERVER_BIN',
    names: ['valkey-server'],
    version: redisVersion,
    least: [7, 2],
  },
};

/** Where the bootstrap puts servers that the machine does not have. */
const ownFolder = resolve(import.meta.dirname, '../../../.tools/servers/bin');

const run = promisify(execFile);

/** The server to start: the one that a variable names, else a new enough one on the PATH, else the bootstrap's; else it throws. */
export const findBinary = async (
  kind: ServerKind,
  environment: Readonly<Record<string, string | undefined>> = systemEnvironment(),
  own: string = ownFolder,
): Promise<Binary> => {
  const { variable, names, least, isFloor = false } = wanted[kind];
  const sought = `${names[0]} of ${least.join('.')}${isFloor ? '' : ' or newer'}`;
  const named = environment[variable];
  if (named !== undefined && named !== '') {
    const version = await versionOf(kind, named);
    if (version !== undefined) return { path: named, version };
    throw new Error(`${variable} names ${named}, which is no ${sought}.`);
  }
  const folders = (environment['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  for (const path of [...folders, own].flatMap((folder) => names.map((name) => join(folder, name)))) {
    const version = (await isProgram(path)) ? await versionOf(kind, path) : undefined;
    if (version !== undefined) return { path, version };
  }
  throw new Error(
    `there is no ${sought}; run \`node tools/bootstrap.mjs servers\`, or name one in ${variable}.`,
  );
};

/** Undefined where it does not run, is something else, or is too old. */
const versionOf = async (kind: ServerKind, path: string): Promise<string | undefined> => {
  const { version, least, isFloor = false } = wanted[kind];
  try {
    const { stdout } = await run(path, ['--version'], { timeout: 30_000 });
    const [, major, minor, patch] = version.exec(stdout)?.map(Number) ?? [];
    if (major === undefined || minor === undefined) return undefined;
    const isNew = major > least[0] || (major === least[0] && minor > least[1]);
    const isLeast = major === least[0] && minor === least[1];
    return isLeast || (isNew && !isFloor) ? `${major}.${minor}.${patch}` : undefined;
  } catch {
    return undefined;
  }
};

const isProgram = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
