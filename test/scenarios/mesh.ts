import {
  type EmbeddedSettings,
  type Faults,
  seededRandom,
  type VirtualClock,
  virtualClock,
} from '@foldmesh/embedded';
import { type EmbeddedDoors, openEmbedded } from '@foldmesh/embedded/internal';
import {
  Digest,
  JobId,
  type Json,
  PoolName,
  sha256Hex,
  TenantId,
  type TraceId,
  traceIdFrom,
} from '@foldmesh/envelope';
import { managerService } from '@foldmesh/manager';
import { type MemoryPorts, memoryService } from '@foldmesh/memory';
import { scriptedModel } from '@foldmesh/models';
import type { Level, Memory, Model, Ports } from '@foldmesh/ports';
import { Agent, type AgentInput } from '@foldmesh/run';
import { type HostSettings, hostSettings, type Running, type Service, steadyPorts } from '@foldmesh/runtime';
import type { Skill, Tool } from '@foldmesh/sdk';
import { gatewayService } from '@foldmesh/tool-gateway';
import { workerService } from '@foldmesh/worker';
import { type Life, lifeOf, mortalPorts, type Net, netOf } from '@foldmesh/worlds';
import { type Fates, fates } from './life.ts';
import { type Witness, witness } from './witness.ts';

/** How a mesh is set up: one of each service, no faults, where nothing else is said. */
export interface Setup {
  readonly managers?: number;
  readonly workers?: number;
  readonly gateways?: number;
  readonly memories?: number;
  readonly slots?: number;
  readonly skills?: readonly Skill[];
  readonly pipelines?: Readonly<Record<string, Json>>;
  readonly agents?: readonly AgentInput[];
  /** Of every gateway, beside the witness. */
  readonly tools?: readonly Tool[];
  /** Of every agent; where nothing is said it has no script and refuses. */
  readonly model?: Model;
  /** Stands between the memory services and their store. */
  readonly store?: (memory: Memory) => Memory;
  readonly faults?: Partial<Faults>;
  readonly stores?: Partial<EmbeddedSettings>;
  readonly host?: Partial<HostSettings>;
  /** How often a witness tool loses a reply or fails, unplanned. */
  readonly flaky?: number;
  readonly toolTimeoutMs?: number;
  /** A service that died is started anew after so long; never where nothing is said. */
  readonly restartMs?: number;
}

type Kind = 'manager' | 'worker' | 'gateway' | 'memory';
export type ServiceName = `${Kind}-${number}`;

export interface Line {
  readonly level: Level;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface PortCall {
  readonly service: string;
  readonly call: string;
  readonly at: number;
}

/** Several services on the stores of one world, each in an incarnation of its own that can be killed, stopped and started anew. */
export interface Mesh {
  readonly clock: VirtualClock;
  /** As a client sees them: asked again where they were away. */
  readonly ports: Ports;
  readonly doors: EmbeddedDoors;
  /** Links that can be cut, and clocks that can be wrong. */
  readonly net: Net;
  /** What the memory services write to, seen past all that stands before it. */
  readonly facts: Memory;
  readonly witness: Witness;
  readonly fates: Fates;
  readonly tenant: TenantId;
  readonly log: readonly Line[];
  /** Names of lives that have died. */
  readonly deaths: readonly string[];
  /** Every port call of every service, in order. */
  readonly calls: readonly PortCall[];
  /** Services that ended by a defect, and why. */
  readonly defects: readonly string[];
  readonly injected: () => Readonly<Record<string, number>>;
  jobId(name: string): JobId;
  traceOf(name: string): TraceId;
  /** Another build of it where its own setup differs. */
  start(name: ServiceName, build?: Partial<Setup>): Promise<void>;
  /** Starts all that the setup names. */
  startAll(): Promise<void>;
  life(name: ServiceName): Life;
  /** SIGTERM: intake stops, work in hand is finished or handed back. */
  shutDown(name: ServiceName, graceMs?: number): Promise<void>;
  /** Shuts down whatever lives. */
  shutDownAll(): Promise<void>;
}

/** One run of a scenario: a mesh, and what was asked of it. */
export interface Run extends Mesh {
  readonly seed: number;
  readonly submitted: string[];
}

interface Process {
  readonly life: Life;
  running: Running | undefined;
}

export const pool = PoolName.parse('default');

export const openMesh = (setup: Setup, seed: number): Mesh => {
  const clock = virtualClock();
  const log: Line[] = [];
  const defects: string[] = [];
  const calls: PortCall[] = [];
  const deaths: string[] = [];
  const { ports: stores, doors } = openEmbedded({
    clock,
    random: seededRandom(`${seed}/stores`),
    faults: setup.faults ?? {},
    settings: setup.stores ?? {},
  });
  const raw: MemoryPorts = {
    ...stores,
    memory: setup.store?.(stores.memory) ?? stores.memory,
    clock,
    random: seededRandom(`${seed}/services`),
    log: (level, message, fields = {}) => void log.push({ level, message, fields }),
  };
  const fate = fates();
  const net = netOf(clock);
  let closing = false;
  const processes = new Map<ServiceName, Process>();
  const world = witness({
    random: seededRandom(`${seed}/witness`),
    ...(setup.flaky !== undefined && { flaky: setup.flaky }),
    ...(setup.toolTimeoutMs !== undefined && { timeoutMs: setup.toolTimeoutMs }),
    onRan: (id) => {
      for (const { life } of processes.values())
        if (!life.isDead() && fate.strikes(life.name, 'tool-ran', 'after', [id])) life.kill();
    },
  });

  const start = async (name: ServiceName, build: Partial<Setup> = {}): Promise<void> => {
    const life = lifeOf(name, fate, {
      onCall: (call) => void calls.push({ service: name, call, at: clock.now() }),
      onDeath: () => {
        deaths.push(name);
        if (setup.restartMs !== undefined && !closing)
          void clock.sleep(setup.restartMs).then(() => (closing ? undefined : start(name, build)));
      },
    });
    const process: Process = { life, running: undefined };
    processes.set(name, process);
    // As a supervisor does: what cannot start is started again, for as long as it was not killed meanwhile.
    while (!life.isDead() && process.running === undefined) {
      const started = await serviceOf(
        { ...setup, ...build },
        name,
        life,
        mortalPorts(life, raw, net.reachOf(name)),
        world,
      ).start();
      if (started.ok) process.running = started.value;
      else await clock.sleep(1_000);
    }
    void process.running?.failed.then((error) => defects.push(`${name}: ${String(error)}`));
  };

  const shutDown = async (name: ServiceName, graceMs = 5_000): Promise<void> => {
    await processes.get(name)?.running?.stop(graceMs);
    processes.delete(name);
  };

  return {
    clock,
    ports: steadyPorts(raw),
    doors,
    net,
    facts: stores.memory,
    witness: world,
    fates: fate,
    tenant: TenantId.parse('acme'),
    log,
    calls,
    deaths,
    defects,
    injected: () => stores.injected(),
    jobId: (name) => JobId.parse(name),
    traceOf: (name) => traceIdFrom(`${name}/${seed}`),
    start,
    async startAll() {
      for (const name of namesOf(setup)) await start(name);
    },
    life(name) {
      const process = processes.get(name);
      if (process === undefined) throw new Error(`no ${name} was started`);
      return process.life;
    },
    shutDown,
    async shutDownAll() {
      closing = true;
      // The last started goes first: nothing new is decided while work in hand ends.
      for (const [name, { life }] of [...processes].toReversed()) if (!life.isDead()) await shutDown(name);
    },
  };
};

const namesOf = ({
  gateways = 1,
  memories = 1,
  workers = 1,
  managers = 1,
}: Setup): readonly ServiceName[] => [
  ...numbered('gateway', gateways),
  ...numbered('memory', memories),
  ...numbered('worker', workers),
  ...numbered('manager', managers),
];

const numbered = (kind: Kind, count: number): ServiceName[] =>
  Array.from({ length: count }, (_, index): ServiceName => `${kind}-${index + 1}`);

const serviceOf = (
  setup: Setup,
  name: ServiceName,
  life: Life,
  ports: MemoryPorts,
  world: Witness,
): Service => {
  const host: HostSettings = { ...hostSettings, ...setup.host };
  if (name.startsWith('manager')) return managerService(ports, { host });
  if (name.startsWith('memory')) return memoryService(ports, { slots: 8, host });
  if (name.startsWith('gateway')) {
    const all = [...world.toolsOn(ports.clock), ...(setup.tools ?? [])];
    const tools = all.map((definition) => ({ definition }));
    return gatewayService(ports, { pool, slots: 16, tools, host });
  }
  return workerService(ports, {
    pool,
    gatewayPool: pool,
    slots: setup.slots ?? 4,
    skills: (setup.skills ?? []).map(defined),
    pipelines: new Map(Object.entries(setup.pipelines ?? {})),
    agents: (setup.agents ?? []).map((agent) => defined(Agent.parse(agent))),
    model: setup.model ?? scriptedModel(new Map()),
    exit: () => life.kill(),
    host,
  });
};

const defined = <T extends { readonly name: string }>(definition: T) => ({
  definition,
  digest: Digest.parse(sha256Hex(definition.name)),
});
