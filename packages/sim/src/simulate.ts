import { type FaultCounts, seededRandom } from '@foldmesh/embedded';
import { type SimulationPorts, type SimulationWorld, simulationWorld } from '@foldmesh/worlds';
import { type Coverage, count } from './coverage.ts';
import { crewOf } from './crew.ts';
import { gather } from './gather.ts';
import { type Judgement, judge } from './judge.ts';
import { observerOf } from './observer.ts';
import { play } from './play.ts';
import { type Plot, plotOf } from './plot.ts';
import type { Stage } from './stage.ts';
import type { ToldJob } from './told.ts';
import { witness } from './witness.ts';

export interface Simulation {
  readonly seed: number;
  /** What is played; what the seed says where nothing is given. */
  readonly plot?: Plot;
  /** Looks at everything after every port call, and not only at what a change concerns. */
  readonly eachStep?: boolean;
  /** Ends as soon as a step has violated something. */
  readonly hasty?: boolean;
  /** Whether the history is written down: then it has lines and a name. */
  readonly told?: boolean;
  /** Puts a bug between the services and their ports, to see whether it is found. */
  readonly bend?: (ports: SimulationPorts) => SimulationPorts;
}

/** What one seed came to. */
export interface Outcome extends Judgement {
  readonly seed: number;
  readonly history: readonly string[];
  /** Names the history: the same seed gives the same (M9). Of one that was not written down it says nothing. */
  readonly hash: string;
  readonly steps: number;
  readonly faults: number;
  readonly deaths: number;
  /** Effects that were carried out again, and did no harm. */
  readonly repeats: number;
  readonly coverage: Coverage;
  readonly jobs: readonly ToldJob[];
}

/** A story that broke off when something had been found wrong already: that is what it has to tell. */
export class BrokenStory extends Error {
  readonly found: readonly string[];
  constructor(found: readonly string[], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.found = found;
  }
}

/** One whole history of the unchanged services: first faults and deaths, then health, and then a judgement. */
export const simulate = (simulation: Simulation): Promise<Outcome> => {
  const { seed, plot = plotOf(seed), told = true, eachStep = false, hasty = false, bend } = simulation;
  const coverage: Coverage = new Map();
  const observer = observerOf(coverage, (what) => world.history.say('judge', what));
  const world: SimulationWorld = simulationWorld({
    seed: String(seed),
    faults: plot.faults,
    settings: plot.settings,
    scripts: plot.scripts,
    modelFaults: plot.modelFaults,
    deaths: plot.deaths,
    watch: observer.watch,
    onRestless: observer.restless,
    told,
    ...(eachStep && { onStep: observer.lookAtAll }),
    ...(bend !== undefined && { bend }),
  });
  const outside = witness({
    random: seededRandom(`${seed}/witness`),
    flaky: plot.flaky,
    say: world.history.say,
    onRow: observer.happened,
  });
  const crew = crewOf({ plot, world, outside, observer });
  const stage: Stage = { plot, world, outside, crew, observer, coverage, hasty, foreign: [] };
  const played = world.clock.run(
    (async () => {
      const evidence = await gather(stage, await play(stage));
      const { history } = world;
      const injected = world.injected();
      countFaults(stage, injected);
      return {
        ...judge(evidence),
        seed,
        history: history.lines,
        hash: history.hash(),
        steps: history.steps(),
        faults: Object.values(injected).reduce((sum, times) => sum + times, crew.deaths() + world.net.lost()),
        deaths: crew.deaths(),
        repeats: outside.repeats(),
        coverage,
        jobs: evidence.jobs.map((job) => job.told),
      };
    })(),
  );
  return played.catch((error: unknown) => {
    throw new BrokenStory(observer.wrong(), error);
  });
};

const countFaults = ({ coverage, crew, world }: Stage, injected: FaultCounts): void => {
  for (const [name, times] of Object.entries(injected)) count(coverage, `fault ${name}`, times);
  count(coverage, 'fault death', crew.deaths());
  count(coverage, 'fault lost call', world.net.lost());
};
