import { Digest, PoolName, sha256Hex } from '@foldmesh/envelope';
import { managerService } from '@foldmesh/manager';
import { memoryService } from '@foldmesh/memory';
import { type HostSettings, hostSettings, type Running, type Service } from '@foldmesh/runtime';
import { gatewayService, personTool } from '@foldmesh/tool-gateway';
import { workerService } from '@foldmesh/worker';
import type { Incarnation, Life, SimulationWorld } from '@foldmesh/worlds';
import { drawOf } from './draw.ts';
import type { Observer } from './observed.ts';
import type { Plot } from './plot.ts';
import { seen } from './seen-model.ts';
import { tripSkill } from './trip-skill.ts';
import type { Witness } from './witness.ts';

/** The services of one world, and a supervisor that starts anew whoever has died. */
export interface Crew {
  readonly defects: readonly string[];
  /** How often somebody died. */
  deaths(): number;
  startAll(): Promise<void>;
  /** Whoever lives now, in the order of the first start. */
  living(): readonly Life[];
  /** From here on the dead come back at once. */
  heal(): void;
  stopAll(): Promise<void>;
}

export const pool = PoolName.parse('default');

/** Longer than any service takes to start or to stop. Milliseconds. */
const patienceMs = 60_000;

const restartMsMax = 20_000;
const workers = 2;

/** What services are made of. */
export interface Cast {
  readonly plot: Plot;
  readonly world: SimulationWorld;
  readonly outside: Witness;
  readonly observer: Observer;
}

export const crewOf = (cast: Cast): Crew => {
  const { plot, world } = cast;
  const draw = drawOf(`${plot.seed}/restarts`);
  const { clock, history } = world;
  const crew = new Map<string, { readonly life: Life; running: Running | undefined }>();
  const defects: string[] = [];
  const healed = new AbortController();
  let deaths = 0;
  let closing = false;

  const restart = async (name: string): Promise<void> => {
    deaths += 1;
    await clock.sleep(draw.below(restartMsMax), healed.signal);
    if (!closing && !cast.observer.isStuck()) await start(name);
  };
  /** A life that ends meanwhile never says whether it has done it: nobody may wait for that. */
  const inTime = async <T>(done: Promise<T> | undefined): Promise<T | undefined> => {
    const known = new AbortController();
    const first = await Promise.race([done, clock.sleep(patienceMs, known.signal).then(() => undefined)]);
    known.abort();
    return first;
  };
  const start = async (name: string): Promise<void> => {
    const incarnation = world.incarnation(name, () => void restart(name));
    const member = { life: incarnation.life, running: undefined as Running | undefined }; // it is not running yet
    crew.set(name, member);
    history.say(name, 'starts');
    // As a supervisor does: what cannot start is started again, for as long as it was not killed meanwhile.
    while (!member.life.isDead() && member.running === undefined) {
      const started = await inTime(serviceOf(cast, name, incarnation).start());
      if (started?.ok) member.running = started.value;
      else if (!member.life.isDead()) await clock.sleep(1_000);
    }
    void member.running?.failed.then((error) => defects.push(`${name}: ${String(error)}`));
  };

  return {
    defects,
    deaths: () => deaths,
    async startAll() {
      for (const name of namesOf(plot))
        if (plot.apartMs > 0) world.net.setAhead(name, draw.from(-plot.apartMs, plot.apartMs));
      await Promise.all(namesOf(plot).map(start));
    },
    living: () => [...crew.values()].map(({ life }) => life).filter((life) => !life.isDead()),
    heal: () => healed.abort(),
    async stopAll() {
      closing = true;
      for (const { life, running } of [...crew.values()].toReversed())
        if (!life.isDead()) await inTime(running?.stop(5_000));
    },
  };
};

const namesOf = ({ managers, gateways }: Plot): readonly string[] => [
  ...numbered('gateway', gateways),
  'memory',
  ...numbered('worker', workers),
  ...numbered('manager', managers),
];

const numbered = (kind: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${kind}-${index + 1}`);

const serviceOf = (
  { plot, outside, observer }: Cast,
  name: string,
  { life, ports, model }: Incarnation,
): Service => {
  const host: HostSettings = {
    ...hostSettings,
    ackWaitMs: plot.settings.ackWaitMs ?? hostSettings.ackWaitMs,
  };
  if (name.startsWith('manager')) return managerService(ports, { host });
  if (name === 'memory') return memoryService(ports, { slots: 4, host });
  if (name.startsWith('gateway')) {
    const tools = [...outside.toolsOn(name, ports.clock), personTool()];
    return gatewayService(ports, {
      pool,
      slots: 16,
      tools: tools.map((definition) => ({ definition })),
      host,
    });
  }
  return workerService(ports, {
    pool,
    gatewayPool: pool,
    slots: plot.slots,
    skills: [{ definition: tripSkill, digest: digestOf(tripSkill.name) }],
    pipelines: new Map(),
    agents: plot.agents.map((definition) => ({ definition, digest: digestOf(definition.name) })),
    model: seen(model, observer),
    exit: () => life.kill('by its own hand'),
    host,
  });
};

const digestOf = (name: string): Digest => Digest.parse(sha256Hex(name));
