import { systemClock } from '@foldmesh/system';
import { guardedProcess } from './guarded-process.ts';

const says = { withinMs: 30_000 };

/** Where a process of a test runs. */
export interface ChildSettings {
  readonly cwd?: string;
  /** The whole environment; that of the test where it is absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What it is called where something is wrong with it; else its program. */
  readonly name?: string;
}

/** A process of a test. Disposing of it kills it and all that it started, and waits until it is gone. */
export interface ChildProcess extends AsyncDisposable {
  readonly pid: number;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Everything it said so far on standard output. */
  out(): string;
  /** Everything it said so far on standard error. */
  err(): string;
  /** The first line, on either stream, said before or to come, that holds the text or matches; fails without one. */
  says(what: string | RegExp, withinMs?: number): Promise<string>;
  tell(text: string): void;
  /** Sends a signal to the process alone; nothing happens where it has ended. */
  kill(signal?: NodeJS.Signals): void;
}

/** Starts a command in a process group of its own, which ends at the latest with the process of the test. */
export const childProcess = async (
  command: readonly string[],
  { name = command[0] ?? '', ...where }: ChildSettings = {},
): Promise<ChildProcess> => {
  const process = await guardedProcess(command, { ...where, stdio: ['pipe', 'pipe', 'pipe'] });
  const { stdin, stdout, stderr } = process.child;
  const spoken = { out: '', err: '' };
  const listeners = new Set<() => void>();
  const hear = (stream: 'out' | 'err') => (text: string) => {
    spoken[stream] += text;
    for (const listener of listeners) listener();
  };
  stdout?.setEncoding('utf8').on('data', hear('out'));
  stderr?.setEncoding('utf8').on('data', hear('err'));
  // It may have closed its input, or be gone: that is told by how it ends.
  stdin?.on('error', () => undefined);
  return {
    pid: process.pid,
    ended: process.ended,
    out: () => spoken.out,
    err: () => spoken.err,
    says: async (what, withinMs = says.withinMs) => {
      const patience = new AbortController();
      const { promise: line, resolve } = Promise.withResolvers<string>();
      const look = (): void => {
        const found = lineIn(spoken, what);
        if (found !== undefined) resolve(found);
      };
      listeners.add(look);
      look();
      const late = systemClock.sleep(withinMs, patience.signal).then(() => `not within ${withinMs} ms`);
      const over = process.ended.then((how) => `it ended with ${how}`);
      try {
        const first = await Promise.race([line.then((text) => ({ text })), late, over]);
        if (typeof first === 'object') return first.text;
        throw new Error(`${name} never said ${what} (${first}): ${spoken.out}${spoken.err}`);
      } finally {
        patience.abort();
        listeners.delete(look);
      }
    },
    tell: (text) => void stdin?.write(text),
    kill: (signal = 'SIGTERM') => process.signal(signal),
    async [Symbol.asyncDispose]() {
      process.signalGroup('SIGKILL');
      await process.ended;
    },
  };
};

const lineIn = (
  { out, err }: { readonly out: string; readonly err: string },
  what: string | RegExp,
): string | undefined =>
  [out, err]
    .flatMap((text) => text.split('\n'))
    .find((line) => (typeof what === 'string' ? line.includes(what) : line.search(what) >= 0));
