import { systemClock } from '@foldmesh/system';
import { eventually } from '@foldmesh/testbed';
import type { Extent } from '../extent.ts';
import { cpuDuring } from '../measure/process-cpu.ts';
import { takeTurns } from '../measure/take-turns.ts';
import { busDoor } from '../mesh/bus-door.ts';
import { ourMesh } from '../mesh/our-mesh.ts';
import type { Grown, Tried } from './grown.ts';

/** How a job comes to its tasks: they stand in its plan, or it makes one for each item of a list. */
export type JobShape = 'plan' | 'for_each';

/** Jobs of one shape, `size` tasks each. */
export interface JobSizes extends Tried {
  readonly shape: JobShape;
}

export interface JobSizeRound {
  /** From before its submit until its end is seen in the journal. */
  readonly ms: number;
  readonly perTaskMs: number;
  /** For each task, by process; the kernel counts in hundredths of a second, so that it says little of a small job. */
  readonly cpuUs: Readonly<Record<string, number>>;
}

export const jobShapes: readonly JobShape[] = ['plan', 'for_each'];
const endMs = 300_000;

/** One job at a time, all of whose tasks could run side by side, on a manager and one worker. */
export const measureJobSizes = async (extent: Extent): Promise<Grown<JobSizes, JobSizeRound>> => {
  const { sizes, slots } = extent.scale;
  const contenders = jobShapes
    .flatMap((shape) => sizes.map((size) => ({ name: `${shape}, ${size} tasks`, shape, size })))
    .filter(({ name }) => name.includes(extent.match));
  if (contenders.length === 0) return { contenders, rounds: new Map() };
  await using mesh = await ourMesh({ workers: 1, slots, nodeArguments: extent.nodeArguments });
  await using door = await busDoor(mesh.nats.url);
  // A manager reads what is offered once a second.
  await eventually(() => door.run(specOf('plan', 1)), { withinMs: 15_000, everyMs: 250 });
  const measure = async ({ shape, size }: JobSizes): Promise<JobSizeRound> => {
    const spec = specOf(shape, size);
    const { value: ms, cpuUs } = await cpuDuring(mesh.pids, async () => {
      const begun = systemClock.monotonic();
      await door.run(spec, endMs);
      return systemClock.monotonic() - begun;
    });
    const perTask = Object.entries(cpuUs).map(([name, us]) => [name, us / size] as const);
    return { ms, perTaskMs: ms / size, cpuUs: Object.fromEntries(perTask) };
  };
  return { contenders, rounds: await takeTurns(contenders, extent.rounds, measure, extent.say) };
};

const specOf = (shape: JobShape, count: number) => {
  const all = Array.from({ length: count }, (_, at) => at);
  const echo = { skill: 'debug.echo' };
  const tasks =
    shape === 'plan'
      ? all.map((at) => ({ ...echo, id: `t${at}`, input: { at } }))
      : [{ ...echo, id: 'each', for_each: all, concurrency: 1_000, input: { at: '${item}' } }];
  return { name: 'wide', split: 'always', plan: { tasks } };
};
