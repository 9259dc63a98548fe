import { Digest, type Json, type PoolName, sha256Hex } from '@foldmesh/envelope';
import type { Model, Ports } from '@foldmesh/ports';
import type { Agent } from '@foldmesh/run';
import {
  type Answering,
  answers,
  blobValues,
  type Host,
  type HostSettings,
  offering,
  type Part,
  type Service,
  serve,
} from '@foldmesh/runtime';
import type { Skill } from '@foldmesh/sdk';
import { agentRuns } from './agent-runs.ts';
import { modelCalls } from './ask-model.ts';
import { carryTasks } from './carry-tasks.ts';
import { type DebugSettings, debugSkills } from './debug-skills.ts';
import { type Defined, targetsOf, workerOffers } from './offers.ts';
import { pipelineRunner } from './pipeline-skill.ts';
import { taskRunner } from './run-task.ts';
import { refusedTasks } from './settle-tasks.ts';
import { toolCaller } from './tool-caller.ts';
import { type ToolShelf, toolShelf } from './tool-shelf.ts';

export interface WorkerSettings {
  readonly pool: PoolName;
  /** The gateway that this worker's tools live behind. */
  readonly gatewayPool: PoolName;
  /** Tasks carried out at once. */
  readonly slots: number;
  readonly skills: readonly Defined<Skill>[];
  readonly pipelines: ReadonlyMap<string, Json>;
  readonly agents: readonly Defined<Agent>[];
  readonly model: Model;
  /** Ends the process, for `debug.exit`; undefined where that is not allowed. */
  readonly exit: ((code: number) => void) | undefined;
  readonly host?: HostSettings;
}

/** Carries tasks out: skills, pipelines, single tools through the gateway, and agents, whose model calls it answers too. */
export const workerService = (ports: Ports, settings: WorkerSettings): Service =>
  serve(`worker.${settings.pool}`, ports, [workerPart(settings)], settings.host);

const workerPart =
  (settings: WorkerSettings): Part =>
  async (host) => {
    const skills = allSkills(host, settings);
    const named = new Map(skills.map(({ definition }) => [definition.name, definition]));
    const offers = workerOffers(skills, settings.pipelines, settings.agents, settings.pool, settings.slots);
    const offered = await offering(host, 'worker', settings.pool, offers);
    if (!offered.ok) return offered;
    const values = blobValues(host.ports.blobs);
    const shelf = toolShelf(host.ports);
    await keepFresh(host, shelf);
    // A tool that nobody offers is asked of some gateway, which says so and names those that there are.
    const tools = toolCaller(host, values, (name) => shelf.find(name)?.run.pool ?? settings.gatewayPool);
    const run = taskRunner(host, { skills: named, pipelines: settings.pipelines }, tools);
    const agents = new Map(settings.agents.map(({ definition }) => [definition.name, definition]));
    const runs = await agentRuns(agents, shelf, settings.pool)(host);
    if (!runs.ok) return runs;
    return answers({
      queue: { service: 'worker', pool: settings.pool, lane: 'call' },
      slots: settings.slots,
      by: [
        { type: 'task.assign', work: carryTasks(values, run), refusal: refusedTasks(host) },
        modelCalls(host, settings.model, values, shelf, settings.pool),
      ] as readonly Answering[], // each is given only envelopes of its own type
      onEnd: () => tools[Symbol.asyncDispose](),
    })(host);
  };

const refreshMs = 1_000;

/** What agents may call is known before the first run begins. */
const keepFresh = async (host: Host, shelf: ToolShelf): Promise<void> => {
  await shelf.refresh();
  host.nursery.go(async () => {
    while (!host.intake.aborted) {
      await host.ports.clock.sleep(refreshMs, host.intake);
      if (!host.intake.aborted) await shelf.refresh();
    }
  });
};

/** The user's skills and the built-in ones; a built-in one's digest is that of its name, for it changes with the build. */
const allSkills = ({ ports }: Host, settings: WorkerSettings): readonly Defined<Skill>[] => {
  const own = settings.skills;
  const builtIn = builtInWith(
    own.map(({ definition }) => definition),
    { clock: ports.clock, exit: settings.exit },
  );
  const named = builtIn.map((definition) => ({
    definition,
    digest: Digest.parse(sha256Hex(definition.name)),
  }));
  return [...named, ...own];
};

const builtInWith = (own: readonly Skill[], debug: DebugSettings): readonly Skill[] => {
  const skills = debugSkills(debug);
  return [
    ...skills,
    pipelineRunner(targetsOf(new Map([...own, ...skills].map((skill) => [skill.name, skill])))),
  ];
};

/** What every worker brings along, by name and shape: these names are taken. */
export const builtInSkills = (): readonly Pick<Skill, 'name' | 'output'>[] =>
  builtInWith([], {
    clock: { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() },
    exit: undefined,
  });
