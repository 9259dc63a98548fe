import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

export interface Ended {
  /** Exit code, or the name of the signal that ended it. */
  readonly code: number | string;
  readonly out: string;
  readonly err: string;
}

/** A command under way, as a process of its own. */
export interface Started {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when what was said so far, on either stream, matches. */
  says(what: RegExp): Promise<void>;
}

/** A folder of its own for jobs and outputs; the command runs in it. */
export interface Bench extends AsyncDisposable {
  readonly folder: string;
  write(name: string, text: string): Promise<void>;
  start(args: readonly string[], environment?: Readonly<Record<string, string>>): Started;
  run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ended>;
}

/** Nothing of who runs the tests; what was compiled is kept where `./foldmesh` keeps it. */
const base = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: join(root, '.tools/cache') };

/** The real command in real processes, without the bootstrap before it. */
export const bench = async (): Promise<Bench> => {
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-e2e-'));
  const children = new Set<ChildProcess>();
  const start: Bench['start'] = (args, environment = {}) => {
    const main = join(root, 'packages/cli/src/main.ts');
    const child = spawn(process.execPath, ['-C', '@foldmesh/source', main, ...args], {
      cwd: folder,
      env: { ...base, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.add(child);
    return listenTo(child);
  };
  return {
    folder,
    write: (name, text) => writeFile(join(folder, name), text),
    start,
    run: (args, environment) => start(args, environment).ended,
    async [Symbol.asyncDispose]() {
      for (const child of children)
        if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export const listenTo = (child: ChildProcess): Started => {
  let out = '';
  let err = '';
  const waiting: { readonly what: RegExp; readonly heard: () => void }[] = [];
  const hear = (): void => {
    for (const { what, heard } of waiting) if (what.test(out + err)) heard();
  };
  child.stdout?.on('data', (bytes: Buffer) => {
    out += bytes.toString();
    hear();
  });
  child.stderr?.on('data', (bytes: Buffer) => {
    err += bytes.toString();
    hear();
  });
  const ended = new Promise<Ended>((done) =>
    child.on('close', (code, signal) => done({ code: code ?? String(signal), out, err })),
  );
  return {
    process: child,
    ended,
    says: (what) =>
      Promise.race([
        new Promise<void>((heard) => {
          waiting.push({ what, heard });
          hear();
        }),
        ended.then(({ code }) => {
          if (!what.test(out + err))
            throw new Error(`it ended with ${code} and never said ${what}: ${out}${err}`);
        }),
      ]),
  };
};

/** The job record that `run --json` prints as its last line. */
export const recordIn = ({ out }: Ended) => JSON.parse(out.trimEnd().split('\n').at(-1) ?? '');
