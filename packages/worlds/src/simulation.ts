import {
  type EmbeddedSettings,
  embedded,
  type FaultCounts,
  type Faults,
  seededRandom,
  type VirtualClock,
  virtualClock,
} from '@foldmesh/embedded';
import { fail, fault } from '@foldmesh/envelope';
import { type Script, scriptedModel } from '@foldmesh/models';
import type { Memory, Model, Ports } from '@foldmesh/ports';
import { type History, historyOf } from './history.ts';
import { type Life, lifeOf, randomFate } from './life.ts';
import { mortalModel, mortalPorts } from './mortal-ports.ts';

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
  incarnation(name: string, onDeath: () => void): Incarnation;
  /** From here on nothing goes wrong any more, and nobody dies. */
  heal(): void;
  injected(): FaultCounts;
}

export const simulationWorld = (choice: SimulationChoice): SimulationWorld => {
  const clock = virtualClock();
  const startsAt = clock.now();
  const history = historyOf(() => clock.now() - startsAt);
  const chance = (of: string) => seededRandom(`${choice.seed}/${of}`);
  const { injected, heal, ...stores } = embedded({
    clock,
    random: chance('stores'),
    ...(choice.faults !== undefined && { faults: choice.faults }),
    ...(choice.settings !== undefined && { settings: choice.settings }),
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
  const fate = randomFate(chance('deaths'), choice.deaths ?? 0);
  const model = moodyModel(
    scriptedModel(choice.scripts ?? new Map()),
    choice.modelFaults ?? 0,
    chance('model'),
  );
  return {
    clock,
    ports,
    history,
    incarnation(name, onDeath) {
      const life = lifeOf(name, fate, {
        onCall: (call, given, answer) => history.call(name, call, given, answer),
        onDeath: (why) => {
          history.say(name, `DIES ${why}`);
          onDeath();
        },
      });
      return { life, ports: mortalPorts(life, bent), model: mortalModel(life, model.port) };
    },
    heal() {
      heal();
      fate.heal();
      model.heal();
    },
    injected,
  };
};

/** A model that is sometimes away, and sometimes has thought without saying so. */
const moodyModel = (model: Model, rate: number, random: Ports['random']) => {
  let chance = rate;
  const port: Model = {
    async reply(request, signal) {
      if (chance > 0 && random.float() < chance)
        return random.float() < 0.5
          ? fail(fault('unavailable', 'the model is away', { source: 'model', retry_after_ms: 200 }))
          : fail(fault('unanswered', 'the model did not answer', { source: 'model', retry_after_ms: 200 }));
      return model.reply(request, signal);
    },
  };
  return {
    port,
    heal() {
      chance = 0;
    },
  };
};
