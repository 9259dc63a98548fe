import { Defect } from '@foldmesh/envelope';
import { type Plot, plotOf } from './plot.ts';
import { BrokenStory, type Outcome, type Simulation, simulate } from './simulate.ts';

/** What is left of a plot that still goes wrong in the same way. */
export interface Shrunk {
  readonly outcome: Outcome;
  readonly plot: Plot;
  /** How many plots were tried, and what could be left out of the first, in words. */
  readonly tried: number;
  readonly without: readonly string[];
}

const triesMax = 200;

/**
 * Leaves out of a seed's plot whatever is not needed for its violation: jobs, tasks, faults, blows, cancels, replicas. `run`
 * plays a plot, and throws a `Defect` where it never ends.
 */
export const shrink = async (
  simulation: Simulation,
  failed: Outcome,
  run: (simulation: Simulation) => Promise<Outcome> = simulate,
): Promise<Shrunk> => {
  const kind = kindOf(failed);
  let plot = simulation.plot ?? plotOf(simulation.seed);
  let tried = 0;
  const without: string[] = [];
  const stillFails = async (smaller: Plot): Promise<boolean> => {
    tried += 1;
    try {
      return kindOf(await run({ ...simulation, plot: smaller, told: false })) === kind;
    } catch (error) {
      // One that never ends goes wrong in another way, and must not hide the one that is being explained.
      if ((error instanceof BrokenStory ? error.cause : error) instanceof Defect) return false;
      throw error;
    }
  };
  for (let again = true; again && tried < triesMax; ) {
    again = false;
    for (const { what, smaller } of smallerThan(plot)) {
      if (tried >= triesMax || !(await stillFails(smaller))) continue;
      plot = smaller;
      without.push(what);
      again = true;
      break;
    }
  }
  return { outcome: await run({ ...simulation, plot, told: true }), plot, tried, without };
};

/** The invariant that is violated first: shrinking must not go over to another. */
const kindOf = ({ violations: [first] }: Outcome): string | undefined => first?.split(':')[0];

interface Smaller {
  readonly what: string;
  readonly smaller: Plot;
}

/** The largest steps first. */
function* smallerThan(plot: Plot): Generator<Smaller> {
  for (const { name } of plot.jobs)
    if (plot.jobs.length > 1)
      yield {
        what: name,
        smaller: {
          ...plot,
          jobs: plot.jobs.filter((job) => job.name !== name),
          cancels: plot.cancels.filter(({ job }) => job !== name),
        },
      };
  if (Object.keys(plot.faults).length > 0) yield { what: 'all faults', smaller: { ...plot, faults: {} } };
  for (const field of ['deaths', 'flaky', 'modelFaults', 'apartMs'] as const)
    if (plot[field] > 0) yield { what: field, smaller: { ...plot, [field]: 0 } };
  if (plot.blows.length > 1) yield { what: 'all blows', smaller: { ...plot, blows: [] } };
  for (const [index, { kind, atMs }] of plot.blows.entries())
    yield {
      what: `${kind} at ${atMs} ms`,
      smaller: { ...plot, blows: plot.blows.filter((_, other) => other !== index) },
    };
  for (const [index, { job }] of plot.cancels.entries())
    yield {
      what: `the cancel of ${job}`,
      smaller: { ...plot, cancels: plot.cancels.filter((_, other) => other !== index) },
    };
  for (const name of Object.keys(plot.faults)) {
    const { [name as keyof Plot['faults']]: rate, ...faults } = plot.faults; // its own name
    if (rate !== undefined && rate > 0) yield { what: name, smaller: { ...plot, faults } };
  }
  for (const field of ['managers', 'gateways'] as const)
    if (plot[field] > 1) yield { what: `the second of ${field}`, smaller: { ...plot, [field]: 1 } };
  yield* withFewerTasks(plot);
}

/** From the end, so that what is left never waits for what is gone. */
function* withFewerTasks(plot: Plot): Generator<Smaller> {
  for (const job of plot.jobs) {
    const { tasks } = job.spec.plan;
    const last = tasks.at(-1);
    if (tasks.length < 2 || last === undefined) continue;
    const plan = { tasks: tasks.slice(0, -1) };
    const smaller = {
      ...job,
      spec: { ...job.spec, plan },
      intended: job.intended.filter(({ task }) => task !== last.id && !task.startsWith(`${last.id}~`)),
    };
    yield {
      what: `the task ${last.id}`,
      smaller: { ...plot, jobs: plot.jobs.map((one) => (one === job ? smaller : one)) },
    };
  }
}
