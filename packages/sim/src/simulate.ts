import type { FaultCounts } from '@foldmesh/embedded';
import { seededRandom } from '@foldmesh/embedded';
import { indexPrefix, indexSubject, JobId } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import { type SimulationPorts, type SimulationWorld, simulationWorld } from '@foldmesh/worlds';
import { type Client, clientOf, tenant } from './client.ts';
import { type Crew, crewOf } from './crew.ts';
import { type Draw, drawOf } from './draw.ts';
import type { Evidence } from './evidence.ts';
import { type Judgement, judge } from './judge.ts';
import { type Blow, type Plot, plotOf } from './plot.ts';
import { tellJob } from './told.ts';
import { type Witness, witness } from './witness.ts';

export interface Simulation {
  readonly seed: number;
  /** Puts a bug between the services and their ports, to see whether it is found. */
  readonly bend?: (ports: SimulationPorts) => SimulationPorts;
}

/** What one seed came to. */
export interface Outcome extends Judgement {
  readonly seed: number;
  readonly history: readonly string[];
  /** Names the history: the same seed gives the same (M9). */
  readonly hash: string;
  readonly steps: number;
  readonly faults: FaultCounts;
  readonly deaths: number;
  /** Effects that were carried out again, and did no harm. */
  readonly repeats: number;
  /** How the jobs ended. */
  readonly endings: readonly string[];
}

/** In virtual time: how long the healed mesh has to end what it accepted. Shorter than what a job or a request may take. */
const healthyMsMax = 8 * 60_000;
/** What must still happen after the last end (the index, runs told to stop) is looked for this often, and for so long. */
const quietMs = 10_000;
const quietMsMax = 120_000;
const lookMs = 500;

/** One whole history of the unchanged services: first faults and deaths, then health, and then a judgement. */
export const simulate = ({ seed, bend }: Simulation): Promise<Outcome> => {
  const plot = plotOf(seed);
  const world = simulationWorld({
    seed: String(seed),
    faults: plot.faults,
    scripts: plot.scripts,
    modelFaults: plot.modelFaults,
    deaths: plot.deaths,
    ...(bend !== undefined && { bend }),
  });
  const say = world.history.say;
  const outside = witness({ random: seededRandom(`${seed}/witness`), flaky: plot.flaky, say });
  const crew = crewOf(seed, plot, world, outside);
  return world.clock.run(
    (async () => {
      const evidence = await play({ seed, plot, world, outside, crew });
      const { history } = world;
      return {
        ...judge(evidence),
        seed,
        history: history.lines,
        hash: history.hash(),
        steps: history.steps(),
        faults: world.injected(),
        deaths: crew.deaths(),
        repeats: outside.repeats(),
        endings: evidence.jobs.map(({ told }) => told.record.status),
      };
    })(),
  );
};

interface Stage {
  readonly seed: number;
  readonly plot: Plot;
  readonly world: SimulationWorld;
  readonly outside: Witness;
  readonly crew: Crew;
}

const play = async (stage: Stage): Promise<Evidence> => {
  const { seed, plot, world, outside, crew } = stage;
  const { clock, ports, history } = world;
  const client = clientOf(ports, (what) => history.say('client', what));
  const draw = drawOf(`${seed}/client`);
  void crew.startAll();
  const over = new AbortController();
  const submitted = plot.jobs.map(async ({ name, spec }) => {
    await clock.sleep(draw.below(plot.submitsWithinMs), over.signal);
    await client.command(name, { type: 'job.submit', payload: { spec } });
  });
  for (const { job, atMs } of plot.cancels)
    void clock
      .sleep(atMs)
      .then(() => client.command(job, { type: 'job.cancel', payload: { reason: 'no longer wanted' } }));
  for (const blow of plot.blows) void clock.sleep(blow.atMs).then(() => strike(stage, blow));
  await clock.sleep(plot.healsAtMs);
  history.say('world', 'HEALS');
  world.heal();
  outside.heal();
  crew.heal();
  await Promise.all(submitted);
  const healedAt = clock.now();
  await untilAllEnd(stage, client, draw, healedAt + healthyMsMax);
  const evidence = await settled(stage, clock.now() - healedAt);
  await crew.stopAll();
  return evidence;
};

const strike = async ({ world, crew }: Stage, blow: Blow): Promise<void> => {
  if (blow.kind === 'all-die') for (const life of crew.living()) life.kill('with all others');
  else {
    const living = crew.living();
    const life = living[blow.who % Math.max(1, living.length)];
    if (life === undefined) return;
    world.history.say(life.name, 'STANDS STILL');
    life.stop();
    await world.clock.sleep(blow.forMs);
    world.history.say(life.name, 'goes on');
    life.go();
  }
};

const untilAllEnd = async (
  { plot, world }: Stage,
  client: Client,
  draw: Draw,
  until: number,
): Promise<void> => {
  const { clock } = world;
  let open = plot.jobs.map(({ name }) => name);
  while (open.length > 0 && clock.now() < until) {
    const left: string[] = [];
    for (const job of open) if (!(await lookAfter(client, job, draw))) left.push(job);
    open = left;
    if (open.length > 0) await clock.sleep(lookMs);
  }
};

/** Answers what a job asks, in its own time; says whether it has ended. */
const lookAfter = async (client: Client, job: string, draw: Draw): Promise<boolean> => {
  const state = await client.state(job);
  for (const { request, answer } of state.asks)
    if (answer === undefined && draw.chance(0.3))
      await client.command(job, { type: 'run.answer', payload: { request, value: 'yes', by: 'simulator' } });
  return state.ended_at !== undefined;
};

/** The evidence as it is when nothing is missing any more, or when it has been long enough. */
const settled = async (stage: Stage, healthyMs: number): Promise<Evidence> => {
  const { clock, ports } = stage.world;
  for (let waitedMs = quietMs; ; waitedMs += quietMs) {
    await clock.sleep(quietMs);
    const evidence = await gather(stage, ports, healthyMs);
    if (waitedMs >= quietMsMax || judge(evidence).violations.length === 0) return evidence;
  }
};

const factsMax = 1_000;

const gather = async (
  { plot, outside, crew }: Stage,
  ports: Ports & SimulationPorts,
  healthyMs: number,
): Promise<Evidence> => {
  const indexed = await ports.index.list(indexPrefix(tenant));
  const facts = await ports.memory.query({ tenant, limit: factsMax });
  if (!indexed.ok || !facts.ok) throw new Error('a healed world cannot be read');
  const jobs: Evidence['jobs'][number][] = [];
  for (const planned of plot.jobs) {
    const at = indexSubject({ tenant, job: JobId.parse(planned.name) });
    jobs.push({
      planned,
      told: await tellJob(ports, planned.name),
      indexed: indexed.value.find(({ subject }) => subject === at)?.value,
    });
  }
  return { jobs, witness: outside, facts: facts.value, defects: crew.defects, healthyMs };
};
