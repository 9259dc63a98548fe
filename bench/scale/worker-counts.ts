import { systemClock } from '@foldmesh/system';
import { eventually } from '@foldmesh/testbed';
import type { Extent } from '../extent.ts';
import { takeTurns } from '../measure/take-turns.ts';
import { type BusDoor, busDoor } from '../mesh/bus-door.ts';
import { ourMesh } from '../mesh/our-mesh.ts';
import type { Grown, Tried } from './grown.ts';

export interface WorkersRound {
  readonly tasksPerSecond: number;
}

/** One job of tasks that only wait, on meshes that differ in the number of their workers: all are up, and take turns. */
export const measureWorkers = async (extent: Extent): Promise<Grown<Tried, WorkersRound>> => {
  const { workers: counts, waits, waitMs } = extent.scale;
  const contenders = counts
    .map((size) => ({ name: `${size} worker${size > 1 ? 's' : ''}`, size }))
    .filter(({ name }) => name.includes(extent.match));
  await using opened = new AsyncDisposableStack();
  const running: (Tried & { readonly door: BusDoor })[] = [];
  for (const one of contenders) {
    extent.say(`  starts  ${one.name}`);
    const mesh = opened.use(
      await ourMesh({ workers: one.size, slots: 1, nodeArguments: extent.nodeArguments }),
    );
    const door = opened.use(await busDoor(mesh.nats.url));
    // A manager reads what is offered once a second.
    await eventually(() => door.run(specOf(one.size, waitMs)), { withinMs: 15_000, everyMs: 250 });
    running.push({ ...one, door });
  }
  const measure = async ({ door }: (typeof running)[number]): Promise<WorkersRound> => {
    const begun = systemClock.monotonic();
    await door.run(specOf(waits, waitMs), 60_000);
    return { tasksPerSecond: waits / ((systemClock.monotonic() - begun) / 1_000) };
  };
  return { contenders, rounds: await takeTurns(running, extent.rounds, measure, extent.say) };
};

const specOf = (count: number, ms: number) => {
  const tasks = Array.from({ length: count }, (_, at) => ({
    id: `t${at}`,
    skill: 'debug.sleep',
    input: { ms },
  }));
  return { name: 'waits', split: 'always', plan: { tasks } };
};
