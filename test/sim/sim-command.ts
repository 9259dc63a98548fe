import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What a process has printed, and how it ended. */
export interface Printed {
  readonly code: number;
  readonly lines: readonly string[];
}

const folder = fileURLToPath(new URL('../../packages/sim/src/', import.meta.url));
const printedBytesMax = 64 * 1024 * 1024;

/** Runs a file of the simulator as `pnpm sim` does, in a process of its own. */
export const simCommand = (file: string, ...args: readonly string[]): Promise<Printed> =>
  new Promise((resolve) => {
    const command = [
      '-C',
      '@foldmesh/source',
      '--disable-warning=ExperimentalWarning',
      `${folder}${file}`,
      ...args,
    ];
    execFile(process.execPath, command, { maxBuffer: printedBytesMax }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code, lines: `${stdout}${stderr}`.trimEnd().split('\n') });
    });
  });
