import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@foldmesh/system';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { type Guarded, guardedProcess } from './guarded-process.ts';

const startMsMax = 30_000;
const stopMsMax = 30_000;
const portsMax = 5;

/** A real server in a process of its own; disposing of it kills it and removes what it stored. */
export interface ServerProcess extends AsyncDisposable {
  readonly host: '127.0.0.1';
  readonly port: number;
  readonly url: string;
  /** Of the process that runs now, or ran last. */
  readonly pid: number;
  readonly version: string;
  /** Where it stores, and where its log lies as `server.log`. */
  readonly folder: string;
  /** Asks it to end (SIGTERM) and waits until it has; what it stored stays. */
  stop(): Promise<void>;
  /** Ends it without a warning (SIGKILL); what it stored stays as it was. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder, and waits until it answers; one that runs is stopped first. */
  restart(): Promise<void>;
  /** Freezes it (SIGSTOP) and waits until every thread of it stands: connections stay, nothing answers. */
  pause(): Promise<void>;
  /** Lets it go on (SIGCONT) as if no time had passed. */
  resume(): void;
}

/** What differs from server to server. */
export interface ServerPlan {
  readonly name: string;
  readonly scheme: string;
  /** The port to have; a free one where it is absent. */
  readonly port?: number | undefined;
  /** The command that serves at these ports and stores in `folder`. */
  readonly command: (ports: Ports, folder: string) => Promise<readonly string[]>;
  /** Its version once it serves; throws while it does not, or where another process answers. */
  readonly answer: (ports: Ports, pid: number) => Promise<string>;
}

/** Both stay the same for as long as the server is started again. */
export interface Ports {
  readonly port: number;
  /** For a server that answers questions about itself at another port. */
  readonly monitorPort: number;
}

/** Starts a server and waits until it answers; takes another port where somebody was faster. */
export const serverProcess = async (plan: ServerPlan): Promise<ServerProcess & Ports> => {
  const folder = await mkdtemp(join(tmpdir(), `foldmesh-${plan.name}-`));
  try {
    return served(plan, folder, await firstStart(plan, folder));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
};

interface Running {
  readonly process: Guarded;
  readonly ports: Ports;
  readonly version: string;
}

const firstStart = async (plan: ServerPlan, folder: string): Promise<Running> => {
  for (let tries = 1; ; tries += 1) {
    const ports = { port: plan.port ?? (await freePort()), monitorPort: await freePort() };
    try {
      return await startOnce(plan, folder, ports);
    } catch (error) {
      if (!(error instanceof PortTaken) || plan.port !== undefined || tries === portsMax) throw error;
    }
  }
};

const startOnce = async (plan: ServerPlan, folder: string, ports: Ports): Promise<Running> => {
  const log = join(folder, 'server.log');
  await using file = await open(log, 'a');
  const { size } = await file.stat();
  const guarded = await guardedProcess(await plan.command(ports, folder), {
    cwd: folder,
    scratch: folder,
    stdio: ['ignore', file.fd, file.fd],
  });
  // A server that somebody forgot must not keep the process that forgot it.
  guarded.child.unref();
  try {
    const version = await eventually(
      async () => (guarded.isRunning() ? { is: await plan.answer(ports, guarded.pid) } : { is: undefined }),
      { withinMs: startMsMax },
    );
    if (version.is !== undefined) return { process: guarded, ports, version: version.is };
  } catch (error) {
    await endNow(guarded);
    throw new Error(`${plan.name} did not answer: ${await saidSince(log, size)}`, { cause: error });
  }
  const said = await saidSince(log, size);
  throw /address already in use/i.test(said)
    ? new PortTaken(`a port of ${ports.port} and ${ports.monitorPort} is in use`)
    : new Error(`${plan.name} ended with ${await guarded.ended}: ${said}`);
};

class PortTaken extends Error {}

const served = (plan: ServerPlan, folder: string, first: Running): ServerProcess & Ports => {
  let running = first;
  const { ports } = first;
  const stop = async (): Promise<void> => {
    // A frozen process hears of its end only when it goes on.
    running.process.signalGroup('SIGCONT');
    running.process.signal('SIGTERM');
    await within(running.process.ended, stopMsMax, `${plan.name} did not stop`);
  };
  return {
    host: '127.0.0.1',
    ...ports,
    url: `${plan.scheme}://127.0.0.1:${ports.port}`,
    folder,
    get pid() {
      return running.process.pid;
    },
    get version() {
      return running.version;
    },
    stop,
    kill: () => endNow(running.process),
    restart: async () => {
      await stop();
      running = await startOnce(plan, folder, ports);
    },
    pause: async () => {
      running.process.signalGroup('SIGSTOP');
      await eventually(() => isFrozen(running.process.pid));
    },
    resume: () => running.process.signalGroup('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await endNow(running.process);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

/** The signal reaches one thread after the other, and those that still run may answer. Only Linux tells. */
const isFrozen = async (pid: number): Promise<boolean> => {
  const tasks = `/proc/${pid}/task`;
  const threads = await readdir(tasks).catch(() => []);
  const states = await Promise.all(threads.map((thread) => readFile(join(tasks, thread, 'stat'), 'utf8')));
  return states.every((state) => /\) [TtZX] /.test(state));
};

/** With all it started: a server that rewrites its files does so in a process of its own. */
const endNow = async (process: Guarded): Promise<void> => {
  process.child.ref();
  process.signalGroup('SIGKILL');
  await process.ended;
};

const within = async (what: Promise<unknown>, ms: number, sentence: string): Promise<void> => {
  const patience = new AbortController();
  const late = systemClock.sleep(ms, patience.signal).then(() => patience.signal.aborted);
  const isInTime = await Promise.race([what.then(() => true), late]);
  patience.abort();
  if (!isInTime) throw new Error(`${sentence} within ${ms} ms`);
};

/** The end of what it wrote into its log since `offset`. */
const saidSince = async (log: string, offset: number): Promise<string> => {
  const said = (await readFile(log)).subarray(offset).toString().trimEnd();
  return said.length > 2_000 ? `… ${said.slice(-2_000)}` : said;
};
