import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { type Bench, listenTo, type Started } from './command-line.ts';

const main = resolve(import.meta.dirname, '../../packages/cli/src/main.ts');

/** A command on a terminal, and the keys that somebody presses there. */
export interface OnTerminal extends Started {
  press(keys: string): void;
}

export const columns = 60;
export const rows = 20;

/**
 * `script` gives a terminal; it is part of every Debian. Its shell turns into the command, or Ctrl-C would end the shell
 * first.
 */
export const onTerminal = (
  at: Bench,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  window: { readonly columns: number; readonly rows: number } = { columns, rows },
): OnTerminal => {
  const words = [process.execPath, '-C', '@foldmesh/source', main, ...args].map((word) => `'${word}'`);
  const command = `stty cols ${window.columns} rows ${window.rows}; exec ${words.join(' ')}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: at.folder,
    env: {
      PATH: process.env['PATH'],
      SHELL: '/bin/sh',
      TERM: 'xterm',
      NODE_COMPILE_CACHE: join(main, '../../../../.tools/cache'),
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const started = listenTo(child);
  return { ...started, press: (keys) => void child.stdin.write(keys) };
};
