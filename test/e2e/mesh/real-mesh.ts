import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type ChildProcess,
  childProcess,
  eventually,
  freePort,
  type NatsServer,
  natsServer,
  type RedisServer,
  redisServer,
} from '@foldmesh/testbed';
import { type MeshClient, meshClient } from './mesh-client.ts';
import { wholeLines } from './whole-lines.ts';

/** One process of a mesh, which can be started again under the same settings. */
export interface MeshProcess {
  readonly name: string;
  /** The process that runs now, or ran last. */
  readonly child: () => ChildProcess;
  readonly healthUrl: string;
  /** Starts it anew; the one before must have ended. */
  start(): Promise<void>;
  /** Resolves when it says that it is ready. */
  ready(withinMs?: number): Promise<void>;
  /** Why it is not ready; empty when it is. */
  reasons(): Promise<readonly string[]>;
}

/** A mesh of real processes on real servers. Disposing ends all of it. */
export interface RealMesh extends AsyncDisposable {
  readonly folder: string;
  readonly nats: NatsServer;
  readonly redis: RedisServer;
  /** The first of the managers, which `client` speaks to. */
  readonly manager: MeshProcess;
  readonly managers: readonly MeshProcess[];
  readonly workers: readonly MeshProcess[];
  readonly gateway: MeshProcess;
  readonly memory: MeshProcess;
  readonly all: readonly MeshProcess[];
  readonly client: MeshClient;
  /** One for the API of each manager, in their order. */
  readonly clients: readonly MeshClient[];
  /** What the witness has done so far. */
  rows(): Promise<readonly WitnessRow[]>;
  /** Each time that a worker began to run errands, also those that an earlier run had begun. */
  runs(): Promise<readonly ErrandRun[]>;
}

/** `at`: milliseconds UTC. */
export interface ErrandRun {
  readonly name: string;
  readonly pid: number;
  readonly at: number;
}

/** `at`: milliseconds UTC. */
export interface WitnessRow {
  readonly effect: string;
  readonly key: string;
  readonly pid: number;
  readonly at: number;
}

export interface MeshChoice {
  readonly managers?: number;
  readonly workers?: number;
  /** Services of which one more process is started last that has none of the definitions, as one of an older build. */
  readonly older?: readonly ('worker' | 'tool-gateway')[];
  /** Variables of every process, over those of the harness. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Where the processes look for NATS, if not at the server itself: a proxy before it. */
  readonly natsUrl?: (server: NatsServer) => Promise<string> | string;
  readonly redisUrl?: (server: RedisServer) => Promise<string> | string;
  /** A skill that the workers offer, by which it is known that they are there. */
  readonly offered?: string;
  /** The keys that callers of the API need: the file, and one of them, which `client` sends. */
  readonly keys?: { readonly file: string; readonly text: string };
}

const root = resolve(import.meta.dirname, '../../..');
const here = import.meta.dirname;
/** Short, so that a dead holder's work comes back soon; long enough for a busy machine. Milliseconds. */
const ackWaitMs = 2_000;

/** An empty variable is one that is not set. */
const withoutDefinitions = { FOLDMESH_SKILLS: '', FOLDMESH_TOOLS: '', FOLDMESH_AGENTS: '' };

export const realMesh = async (choice: MeshChoice = {}): Promise<RealMesh> => {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-mesh-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const nats = opened.use(await natsServer());
  const redis = opened.use(await redisServer({ appendonly: 'everysec' }));
  const rowsFile = join(folder, 'rows.jsonl');
  const runsFile = join(folder, 'runs.jsonl');
  const environment = {
    PATH: process.env['PATH'] ?? '',
    NATS_URL: (await choice.natsUrl?.(nats)) ?? nats.url,
    REDIS_URL: (await choice.redisUrl?.(redis)) ?? redis.url,
    WITNESS_ROWS: rowsFile,
    WITNESS_RUNS: runsFile,
    FOLDMESH_LOG: 'info',
    FOLDMESH_TOOLS: join(here, 'tools'),
    FOLDMESH_SKILLS: join(here, 'skills'),
    FOLDMESH_AGENTS: join(here, 'agents'),
    FOLDMESH_SCRIPTS: join(here, 'scripts'),
    FOLDMESH_FILES_ROOT: root,
    FOLDMESH_OUTPUT: join(folder, 'out'),
    FOLDMESH_MEMORY_PATH: join(folder, 'memory.sqlite'),
    FOLDMESH_ACK_WAIT_MS: String(ackWaitMs),
    FOLDMESH_GRACE_MS: '8000',
    FOLDMESH_API_KEYS: choice.keys?.file ?? '',
    ...choice.environment,
  };
  const open = async (service: string, more: Readonly<Record<string, string>> = {}): Promise<MeshProcess> => {
    const made = await meshProcess(service, { ...environment, ...more });
    opened.defer(() => made.child()[Symbol.asyncDispose]());
    opened.defer(() => keepLog(made));
    return made;
  };
  const managers: MeshProcess[] = [];
  const clients: MeshClient[] = [];
  for (let replica = 0; replica < (choice.managers ?? 1); replica++) {
    const apiPort = await freePort();
    managers.push(await open('manager', { FOLDMESH_API_PORT: String(apiPort) }));
    clients.push(meshClient(`http://127.0.0.1:${apiPort}`, choice.keys?.text));
  }
  const gateway = await open('tool-gateway');
  const memory = await open('memory');
  const workers: MeshProcess[] = [];
  for (let worker = 0; worker < (choice.workers ?? 2); worker++) workers.push(await open('worker'));
  const older: MeshProcess[] = [];
  for (const service of choice.older ?? []) older.push(await open(service, withoutDefinitions));
  const all = [...managers, gateway, memory, ...workers, ...older];
  for (const one of all) await one.ready();
  // A manager reads what is offered once a second.
  for (const client of clients)
    await eventually(() => client.knows('skill', choice.offered ?? 'test.errands'), { withinMs: 30_000 });
  const [manager, client] = [managers[0], clients[0]];
  if (manager === undefined || client === undefined) throw new Error('a mesh has at least one manager');
  const held = opened.move();
  return {
    folder,
    nats,
    redis,
    manager,
    managers,
    gateway,
    memory,
    workers,
    all,
    client,
    clients,
    rows: () => linesIn<WitnessRow>(rowsFile),
    runs: () => linesIn<ErrandRun>(runsFile),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
};

const linesIn = async <Line>(file: string): Promise<readonly Line[]> => {
  const text = await readFile(file, 'utf8').catch(() => '');
  return wholeLines(text).map((line) => JSON.parse(line) as Line); // as our own tools and skills wrote it
};

/** For people who look for what went wrong: what each process said goes into the folder that FOLDMESH_TEST_LOGS names. */
const keepLog = async ({ name, child }: MeshProcess): Promise<void> => {
  const kept = process.env['FOLDMESH_TEST_LOGS'];
  const { pid, out, err } = child();
  if (kept !== undefined) await writeFile(join(kept, `${name}-${pid}.log`), out() + err());
};

const startMsMax = 60_000;

/** One service as a process of its own, with these variables and no others. */
export const meshProcess = async (
  service: string,
  environment: Readonly<Record<string, string>>,
): Promise<MeshProcess> => {
  const port = await freePort();
  const healthUrl = `http://127.0.0.1:${port}`;
  const command = [
    process.execPath,
    '-C',
    '@foldmesh/source',
    '--disable-warning=ExperimentalWarning',
    join(root, 'services', service, 'src/main.ts'),
  ];
  const env = { ...environment, FOLDMESH_HEALTH_PORT: String(port) };
  const launch = () => childProcess(command, { env, cwd: root, name: service });
  let child = await launch();
  const reasons = async (): Promise<readonly string[]> => {
    const answer = await fetch(`${healthUrl}/readyz`);
    if (answer.ok) return [];
    const { reasons: why } = (await answer.json()) as { readonly reasons: readonly string[] }; // as the service writes it
    return why;
  };
  return {
    name: service,
    child: () => child,
    healthUrl,
    start: async () => {
      await child.ended;
      child = await launch();
    },
    reasons,
    ready: async (withinMs = startMsMax) => {
      await eventually(
        async () => {
          const why = await reasons().catch((error: unknown) => [`it does not answer: ${String(error)}`]);
          if (why.length > 0)
            throw new Error(
              `${service} is not ready: ${why.join('; ')}\n${child.out().slice(-2_000)}${child.err()}`,
            );
        },
        { withinMs, everyMs: 50 },
      );
    },
  };
};
