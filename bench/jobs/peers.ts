import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

const folder = join(import.meta.dirname, '../peers');
const installMs = 300_000;

/**
 * What we are compared with is no dependency of ours: it is installed here, when somebody measures, by its own lockfile.
 * Undefined when all is there, else why it could not be had.
 */
export const installPeers = async (): Promise<string | undefined> => {
  const command = ['install', '--ignore-workspace', '--frozen-lockfile', '--ignore-scripts'];
  try {
    await promisify(execFile)('pnpm', command, { cwd: folder, timeout: installMs });
    return undefined;
  } catch (error) {
    const { stdout = '', message } = error as { readonly stdout?: string; readonly message: string }; // as `execFile` rejects
    return (stdout.split('\n').find((line) => line.includes('ERR_')) ?? message).trim();
  }
};

/** A package of the peers, in the shape that the caller knows it to have. */
export const peer = <Module>(name: string): Module =>
  createRequire(join(folder, 'package.json'))(name) as Module; // the caller names what it uses

/** The program that a peer's platform package carries. */
export const restateBinary = (): string => {
  const server = createRequire(join(folder, 'package.json')).resolve(
    '@restatedev/restate-server/package.json',
  );
  return createRequire(server).resolve(
    `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
  );
};
