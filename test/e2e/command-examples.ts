import { execFile } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Bench } from './command-line.ts';

const main = resolve(import.meta.dirname, '../../packages/cli/src/main.ts');

/** What a shell said, and how it ended. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A shell in the folder of a bench, in which `foldmesh` is the command. It stops at the first line that fails. */
export const shellIn = async (
  at: Bench,
): Promise<(script: string, environment: Readonly<Record<string, string>>) => Promise<Ran>> => {
  await mkdir(join(at.folder, '.bin'));
  const command = `exec '${process.execPath}' -C @foldmesh/source '${main}' "$@"`;
  await at.write('.bin/foldmesh', `#!/bin/sh\n${command}\n`);
  await chmod(join(at.folder, '.bin/foldmesh'), 0o755);
  const base = {
    PATH: `${join(at.folder, '.bin')}:${process.env['PATH']}`,
    NODE_COMPILE_CACHE: resolve(main, '../../../../.tools/cache'),
  };
  return (script, environment) =>
    new Promise((done) => {
      const child = execFile(
        'bash',
        ['-eu', '-o', 'pipefail', '-c', script],
        { cwd: at.folder, env: { ...base, ...environment } },
        (error, out, err) => done({ code: Number(error?.code ?? 0), out, err }),
      );
      child.stdin?.end();
    });
};
