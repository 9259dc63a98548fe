import { ok, type Result } from '@foldmesh/envelope';
import { type CatalogueView, catalogueView } from '@foldmesh/manager';
import type { MemoryPorts } from '@foldmesh/memory';
import type { Log, Ports } from '@foldmesh/ports';
import { jsonLog, systemClock, systemRandom } from '@foldmesh/system';
import { outputFolder } from '@foldmesh/tool-gateway';
import { embeddedWorld, type Mesh, openProduction, type Setup, startAll } from '@foldmesh/worlds';
import { allServices } from './all.ts';

/** The whole mesh in this process, started. */
export interface LocalMesh {
  readonly ports: Ports;
  /** Stopping it lets go of its world too. */
  readonly mesh: Mesh;
  readonly catalogue: CatalogueView;
  readonly durability: string;
  /**
   * Stops its services and starts them as `setup` has them, on the same stores: what is in hand ends or goes on there. A
   * fault that says later leaves it without services until it is called again.
   */
  restart(setup: Setup): Promise<Result<void>>;
  /** Where the files of a job are, once it has written some. */
  readonly filesOf: (tenant: string, job: string) => string;
}

/** What a mesh of one process stands on. */
interface Ground extends AsyncDisposable {
  readonly ports: MemoryPorts;
  readonly durability: string;
}

/** On stores in memory: nothing outlives the process. */
export const startLocalMesh = (
  setup: Setup,
  exit: (code: number) => void,
  err: (text: string) => void,
): Promise<Result<LocalMesh>> => {
  const log = jsonLog({ level: setup.config.log, write: err });
  const world = embeddedWorld({
    clock: systemClock,
    random: systemRandom,
    log,
    settings: { ackWaitMs: setup.config.ack_wait_ms },
  });
  return startOn({ ...world, [Symbol.asyncDispose]: async () => undefined }, setup, exit);
};

/** On the servers that the configuration names, beside whatever other processes work there. Waits for them until `signal` aborts. */
export const startSharedMesh = async (
  setup: Setup,
  exit: (code: number) => void,
  err: (text: string) => void,
  signal: AbortSignal,
): Promise<Result<LocalMesh>> => {
  const ground = await sharedGround(setup, jsonLog({ level: setup.config.log, write: err }), signal);
  return ground.ok ? startOn(ground.value, setup, exit) : ground;
};

const sharedGround = async ({ config }: Setup, log: Log, signal: AbortSignal): Promise<Result<Ground>> => {
  const world = await openProduction({ config, name: 'foldmesh-up', log }, signal);
  if (!world.ok) return world;
  // Loaded when it is needed, like the clients of the servers.
  const { sqliteMemory } = await import('@foldmesh/sqlite');
  const memory = await sqliteMemory({ path: config.memory.path, log });
  if (!memory.ok) {
    await world.value[Symbol.asyncDispose]();
    return memory;
  }
  return ok({
    ports: { ...world.value.ports, memory: memory.value },
    durability: world.value.durability,
    [Symbol.asyncDispose]: async () => {
      await memory.value[Symbol.asyncDispose]();
      await world.value[Symbol.asyncDispose]();
    },
  });
};

/** How long work in hand has to end before services start again. Milliseconds. */
const restartGraceMs = 1_000;

const startOn = async (
  ground: Ground,
  setup: Setup,
  exit: (code: number) => void,
): Promise<Result<LocalMesh>> => {
  const { ports, durability } = ground;
  const { promise: failed, resolve: fails } = Promise.withResolvers<unknown>();
  const start = async (next: Setup): Promise<Result<Mesh>> => {
    const started = await startAll(allServices(ports, next, exit));
    if (started.ok) void started.value.failed.then(fails);
    return started;
  };
  const first = await start(setup);
  if (!first.ok) {
    await ground[Symbol.asyncDispose]();
    return first;
  }
  let running: Mesh | undefined = first.value;
  const catalogue = catalogueView(ports);
  await catalogue.refresh();
  return ok({
    ports,
    mesh: {
      failed,
      stop: async (graceMs) => {
        await running?.stop(graceMs);
        await ground[Symbol.asyncDispose]();
      },
    },
    catalogue,
    durability,
    restart: async (next) => {
      await running?.stop(restartGraceMs);
      running = undefined;
      const again = await start(next);
      if (again.ok) running = again.value;
      // What will not get better by itself leaves a mesh without services, which is none.
      else if (again.fault.retry_after_ms === undefined) fails(again.fault.detail);
      return again.ok ? catalogue.refresh() : again;
    },
    filesOf: (tenant, job) => outputFolder(setup.config, tenant, job),
  });
};
