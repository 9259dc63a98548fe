import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder for one test, with a space in its name, because checkouts have them. */
export const folderForTest = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'boot strap-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** A process of a test, spoken to by lines. */
export interface Actor {
  readonly pid: number;
  /** Everything printed so far, standard output and error together. */
  said(): string;
  /** Ends once the process has printed the text; fails if it ends without. */
  says(text: string): Promise<void>;
  tell(text: string): void;
  kill(signal: NodeJS.Signals): void;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

interface Staging {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a process in a session of its own, so that it has no terminal; it is killed with the test. */
export const start = (command: readonly string[], staging: Staging = {}): Actor => {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { ...staging, detached: true, stdio: 'pipe' });
  onTestFinished(() => killSession(child.pid));
  return actorOf(child);
};

/** What the process started goes with it. */
const killSession = (pid: number | undefined): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole session has ended already.
  }
};

/** Runs a module given as text, which may import by absolute path. */
export const startModule = (text: string, staging: Staging = {}): Actor =>
  start([process.execPath, '--input-type=module', '-e', text], staging);

const actorOf = (child: ChildProcess): Actor => {
  let said = '';
  const hear = (chunk: Buffer): void => {
    said += chunk.toString('utf8');
    child.emit('heard');
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  const ended = new Promise<number | NodeJS.Signals>((done) => {
    child.once('error', () => done(127));
    child.once('close', (code, signal) => done(code ?? signal ?? 127));
  });
  return {
    pid: child.pid ?? 0,
    said: () => said,
    says: (text) =>
      new Promise((done, fail) => {
        const look = (): void => {
          if (said.includes(text)) done();
        };
        child.on('heard', look);
        child.once('close', () => fail(new Error(`ended without saying ${JSON.stringify(text)}: ${said}`)));
        look();
      }),
    tell: (text) => void child.stdin?.write(text),
    kill: (signal) => void child.kill(signal),
    ended,
  };
};
