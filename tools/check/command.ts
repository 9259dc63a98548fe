import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, resolve } from 'node:path';

export interface Finished {
  /** 128 + n for a child that died of signal n. */
  readonly code: number;
  /** What it printed, standard output and error in the order they came; empty where it was shown as it came. */
  readonly output: string;
}

export interface Settings {
  /** Show the output as it comes instead of keeping it. */
  readonly shown?: boolean;
  readonly variables?: Readonly<Record<string, string>>;
}

const stops = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a command of the workspace to its end. A signal to this process ends the child, then this process. */
export const run = async (command: readonly string[], settings: Settings = {}): Promise<Finished> => {
  const [program = '', ...rest] = command;
  const bin = resolve('node_modules/.bin');
  const stop = (signal: NodeJS.Signals): void => {
    child.kill(signal);
    child.once('close', () => process.exit(128 + constants.signals[signal]));
  };
  for (const signal of stops) process.on(signal, stop);
  // Only now: a child that is quick to speak may bring the signal on before `spawn` returns.
  const child = spawn(program, rest, {
    stdio: settings.shown ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...settings.variables, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` },
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number>((done) => {
    child.once('error', (error) => {
      chunks.push(Buffer.from(`${error.message}\n`));
      done(127);
    });
    child.once('close', (status, signal) =>
      done(status ?? (signal === null ? 1 : 128 + constants.signals[signal])),
    );
  });
  for (const signal of stops) process.off(signal, stop);
  return { code, output: Buffer.concat(chunks).toString('utf8') };
};
