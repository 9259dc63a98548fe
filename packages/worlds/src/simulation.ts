import {
  type EmbeddedDoors,
  type EmbeddedSettings,
  type FaultCounts,
  type Faults,
  openEmbedded,
  seededRandom,
  type VirtualClock,
  virtualClock,
  type Watch,
} from '@foldmesh/embedded';
import { type FaultKind, fail, fault } from '@foldmesh/envelope';
import { type Script, scriptedModel } from '@foldmesh/models';
import type { Memory, Model, Ports } from '@foldmesh/ports';
import { type History, historyOf } from './history.ts';
import { type Life, lifeOf, randomFate } from './life.ts';
import { mortalModel, mortalPorts } from './mortal-ports.ts';
import { type Net, netOf } from './reach.ts';

export type SimulationPorts = Ports & { readonly memory: Memory };

export interface SimulationChoice {
  /** Names all that is left to chance. */
  readonly seed: string;
  readonly faults?: Partial<Faults>;
  readonly settings?: Partial<EmbeddedSettings>;
  /** By the names of their models. */
  readonly scripts?: ReadonlyMap<string, Script>;
  /** How often a model is away or does not answer, from 0 to 1. */
  readonly modelFaults?: number;
  /** How often an incarnation ends at one of its port calls, from 0 to 1. */
  readonly deaths?: number;
  /** Hears of all that is stored. */
  readonly watch?: Partial<Watch>;
  /** Whether what happens is written down, line by line; it is unless told not to. */
  readonly told?: boolean;
  /** Called after each port call of a service that was answered. */
  readonly onStep?: () => void;
  /** Hears of a service that asks and asks while no time passes: it is ended, or no history would go on. */
  readonly onRestless?: (name: string) => void;
  /** Puts a bug between the services and their ports, to see whether it is found. */
  readonly bend?: (ports: SimulationPorts) => SimulationPorts;
}

/** One life of one service, and what it reaches the world through. */
export interface Incarnation {
  readonly life: Life;
  readonly ports: SimulationPorts;
  readonly model: Model;
}

/** Embedded stores on a virtual clock, all chance from one seed: the same seed is the same history, call for call (M9). */
export interface SimulationWorld {
  readonly clock: VirtualClock;
  /** As somebody outside has them, whose life never ends. */
  readonly ports: SimulationPorts;
  readonly history: History;
  /** What is done to the stores from outside. */
  readonly doors: EmbeddedDoors;
  readonly net: Net;
  incarnation(name: string, onDeath: () => void): Incarnation;
  /** From here on nothing goes wrong any more, and nobody dies. */
  heal(): void;
  injected(): FaultCounts;
}

export const simulationWorld = (choice: SimulationChoice): SimulationWorld => {
  const clock = virtualClock();
  const startsAt = clock.now();
  const history = historyOf(() => clock.now() - startsAt, choice.told ?? true);
  const chance = (of: string) => seededRandom(`${choice.seed}/${of}`);
  const {
    ports: { injected, heal, ...stores },
    doors,
  } = openEmbedded({
    clock,
    random: chance('stores'),
    ...(choice.faults !== undefined && { faults: choice.faults }),
    ...(choice.settings !== undefined && { settings: choice.settings }),
    ...(choice.watch !== undefined && { watch: choice.watch }),
  });
  const ports: SimulationPorts = {
    ...stores,
    clock,
    random: chance('services'),
    log: (level, message, fields = {}) => {
      if (level !== 'debug') history.say(String(fields['service'] ?? 'world'), `says: ${message}`);
    },
  };
  const bent = choice.bend?.(ports) ?? ports;
  const net = netOf(clock);
  const isRestless = restlessness(clock);
  const fate = randomFate(chance('deaths'), choice.deaths ?? 0);
  const model = moodyModel(scriptedModel(choice.scripts ?? new Map()), choice.modelFaults ?? 0, {
    clock,
    random: chance('model'),
  });
  return {
    clock,
    ports,
    history,
    doors,
    net,
    incarnation(name, onDeath) {
      const life = lifeOf(name, fate, {
        onCall: (call, given, answer) => {
          history.call(name, call, given, answer);
          choice.onStep?.();
          if (!isRestless()) return;
          choice.onRestless?.(name);
          life.kill('for it gives no rest');
        },
        onDeath: (why) => {
          history.say(name, `DIES ${why}`);
          onDeath();
        },
      });
      return {
        life,
        ports: mortalPorts(life, bent, net.reachOf(name)),
        model: mortalModel(life, model.port),
      };
    },
    heal() {
      heal();
      net.heal();
      fate.heal();
      model.heal();
    },
    injected,
  };
};

/** More port calls than any honest work makes in one instant. */
const callsAtOnceMax = 4_000;

/** Counts the calls of one instant: whoever answers to nothing but itself never lets the next one come. */
const restlessness = (clock: VirtualClock): (() => boolean) => {
  let at = 0;
  let calls = 0;
  return () => {
    if (clock.monotonic() !== at) calls = 0;
    at = clock.monotonic();
    calls += 1;
    return calls > callsAtOnceMax;
  };
};

/** What a fault that nobody planned says of itself. */
export const byChance = 'by chance';

/** Longer than a question waits for an answer before it is sent again. Milliseconds. */
const thinkingMsMax = 60_000;

/** A model that is sometimes slow, is away, has thought without saying so, or says no, in every kind of fault. */
const moodyModel = (
  model: Model,
  rate: number,
  { clock, random }: { readonly clock: VirtualClock; readonly random: Ports['random'] },
) => {
  let chance = rate;
  const port: Model = {
    async reply(request, signal, hear) {
      if (chance === 0 || random.float() >= chance) return model.reply(request, signal, hear);
      if (random.float() < 0.25) {
        await clock.sleep(random.float() ** 2 * thinkingMsMax, signal);
        return model.reply(request, signal, hear);
      }
      const kind = moods[Math.floor(random.float() * moods.length)] ?? 'unavailable';
      const later = kind === 'unavailable' || kind === 'unanswered' || kind === 'throttled';
      return fail(
        fault(kind, `the model failed ${byChance}`, {
          source: 'model',
          ...(later && { retry_after_ms: random.float() < 0.1 ? 5_000 : 200 }),
        }),
      );
    },
  };
  return {
    port,
    heal() {
      chance = 0;
    },
  };
};

/** What passes comes more often than what ends a run. */
const moods: readonly FaultKind[] = [
  ...Array<FaultKind>(6).fill('unavailable'),
  ...Array<FaultKind>(6).fill('unanswered'),
  ...Array<FaultKind>(4).fill('throttled'),
  'invalid',
  'refused',
  'overflow',
];
