import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JobPosition, type Json, TaskId } from '@foldmesh/envelope';
import { runFold } from '@foldmesh/run';
import { load } from '@foldmesh/runtime';
import { systemClock } from '@foldmesh/system';
import { eventually } from '@foldmesh/testbed';
import type { Extent } from '../extent.ts';
import { takeTurns } from '../measure/take-turns.ts';
import { type BusDoor, benchTenant, busDoor } from '../mesh/bus-door.ts';
import { ourMesh } from '../mesh/our-mesh.ts';
import type { Grown, Tried } from './grown.ts';

export interface RunLoadRound {
  /** One load as the hosts do it. */
  readonly loadMs: number;
  /** Every entry of the run read one after the other, for comparison. */
  readonly readMs: number;
}

const task = TaskId.parse('walk');
const runMs = 300_000;
const entriesMax = 100_000;

/** An agent's runs of different lengths, done once by real processes; then each is loaded from the journal again and again. */
export const measureRunLoads = async (extent: Extent): Promise<Grown<Tried, RunLoadRound>> => {
  const { steps: lengths, loads } = extent.scale;
  const contenders = lengths
    .map((size) => ({ name: `run of ${size} steps`, size }))
    .filter(({ name }) => name.includes(extent.match));
  if (contenders.length === 0) return { contenders, rounds: new Map() };
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-bench-agents-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const environment = await agentFiles(folder, lengths);
  const { nodeArguments } = extent;
  const mesh = opened.use(await ourMesh({ workers: 1, slots: 8, tools: true, environment, nodeArguments }));
  const door = opened.use(await busDoor(mesh.nats.url));
  const done: (Tried & { readonly entity: JobPosition })[] = [];
  for (const one of contenders) {
    const begun = systemClock.monotonic();
    const entity = await walked(door, one.size);
    extent.say(`  ${one.name}: done in ${Math.round(systemClock.monotonic() - begun)} ms`);
    done.push({ ...one, entity });
  }
  const measure = async ({ entity }: (typeof done)[number]): Promise<RunLoadRound> => {
    const begun = systemClock.monotonic();
    for (let time = 0; time < loads; time++) await loaded(door, entity);
    const between = systemClock.monotonic();
    const read = await door.ports.journal.read(entity, 1, entriesMax);
    if (!read.ok) throw new Error(read.fault.detail);
    return { loadMs: (between - begun) / loads, readMs: systemClock.monotonic() - between };
  };
  return { contenders, rounds: await takeTurns(done, extent.rounds, measure, extent.say) };
};

/** An agent for each length, and its part of the scripted model; both are JSON, which is read as YAML is. */
const agentFiles = async (
  folder: string,
  lengths: readonly number[],
): Promise<Readonly<Record<string, string>>> => {
  const [agents, scripts] = [join(folder, 'agents'), join(folder, 'scripts')];
  for (const one of [agents, scripts]) await mkdir(one);
  for (const steps of lengths) {
    const name = `walker-${steps}`;
    const look: Json = { calls: [{ name: 'files.list', input: { path: '.' } }] };
    const turns = [...Array.from({ length: steps - 1 }, () => look), { text: 'Done.' }];
    const agent = {
      name,
      instructions: 'Look around, again and again.',
      model: `scripted/${name}`,
      tools: ['files.list'],
      limits: { turns: steps },
    };
    await writeFile(join(agents, `${name}.json`), JSON.stringify(agent));
    await writeFile(join(scripts, `${name}.json`), JSON.stringify({ turns }));
  }
  return { FOLDMESH_AGENTS: agents, FOLDMESH_SCRIPTS: scripts, FOLDMESH_FILES_ROOT: agents };
};

const walked = async (door: BusDoor, steps: number): Promise<JobPosition> => {
  const walk = { id: task, agent: `walker-${steps}`, input: {} };
  // A manager reads what is offered once a second.
  const job = await eventually(() => door.run({ name: 'walk', plan: { tasks: [walk] } }, runMs), {
    withinMs: runMs,
    everyMs: 250,
  });
  const entity = { tenant: benchTenant, job, run: { task, round: 1 } };
  const { model_calls } = await loaded(door, entity);
  if (model_calls !== steps) throw new Error(`a run of ${steps} steps made ${model_calls}`);
  return entity;
};

const loaded = async ({ ports }: BusDoor, entity: JobPosition): Promise<{ readonly model_calls: number }> => {
  const run = await load({ ...ports, clock: systemClock }, runFold, entity);
  if (!run.ok) throw new Error(run.fault.detail);
  return run.value.state;
};
