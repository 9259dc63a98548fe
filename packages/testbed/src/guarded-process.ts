import { type ChildProcess as Child, spawn } from 'node:child_process';

/** Where and how a process of a test is started; streams as Node's `spawn` takes them. */
export interface GuardedSettings {
  readonly cwd?: string;
  /** The whole environment; ours where it is absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A folder of the process's, removed with it where nobody else is left to do so. */
  readonly scratch?: string;
  readonly stdio: readonly ('ignore' | 'pipe' | number)[];
}

/** A process that does not outlive this one, not even where this one is killed. */
export interface Guarded {
  readonly child: Child;
  readonly pid: number;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  isRunning(): boolean;
  /** To the process alone; nothing happens where it has ended. */
  signal(signal: NodeJS.Signals): void;
  /** To the process and all it started, as long as it runs itself. */
  signalGroup(signal: NodeJS.Signals): void;
}

// Waits for a line or for the end of its input, which comes when the process that holds the other end is gone, however it
// went. An `exit` hook would not see a SIGKILL, and a group shared with us would not see one that is sent to us alone.
const guard = 'read -r line || { kill -s KILL -- "-$1"; [ -z "$2" ] || rm -rf -- "$2"; }';

/** Starts a process in a group of its own, and beside it a shell that kills the group when this process ends. */
export const guardedProcess = async (
  [program = '', ...args]: readonly string[],
  { cwd, env, scratch = '', stdio }: GuardedSettings,
): Promise<Guarded> => {
  const where = { ...(cwd === undefined ? {} : { cwd }), ...(env === undefined ? {} : { env }) };
  const child = spawn(program, args, { ...where, stdio: [...stdio], detached: true });
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new Error(`${program} cannot be started: ${error.message}`)));
  });
  const pid = child.pid ?? 0;
  watchOver(child, pid, scratch);
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    child,
    pid,
    ended,
    isRunning,
    signal: (signal) => void child.kill(signal),
    signalGroup: (signal) => {
      if (isRunning()) process.kill(-pid, signal);
    },
  };
};

const watchOver = (child: Child, pid: number, scratch: string): void => {
  const watcher = spawn('/bin/sh', ['-c', guard, 'sh', String(pid), scratch], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Without a shell there is no guard, and whoever disposes of the process still ends it.
  watcher.on('error', () => undefined);
  watcher.stdin.on('error', () => undefined);
  watcher.unref();
  // Nor does its open input keep us: the stream is a socket, whatever its type says.
  if ('unref' in watcher.stdin && typeof watcher.stdin.unref === 'function') watcher.stdin.unref();
  // Its number may belong to somebody else from now on.
  child.once('exit', () => watcher.stdin.end('ended\n'));
};
