import { jobMoves, taskMoves } from '@foldmesh/job';
import { runMoves } from '@foldmesh/run';

/** How often each way that there is was gone: faults, blows, and the moves of the three written tables. */
export type Coverage = Map<string, number>;

export const count = (coverage: Coverage, what: string, times = 1): void => {
  coverage.set(what, (coverage.get(what) ?? 0) + times);
};

const routesOf = (of: string, moves: Readonly<Record<string, readonly string[]>>): readonly string[] =>
  Object.entries(moves).flatMap(([from, all]) => all.map((to) => `${of} ${from} → ${to}`));

/** Moves of the job's table for what this build has not got: a planner, a pause of the whole job, a wait of it. */
const unbuilt = /^job (.* → )?(planning|paused|waiting)( → .*)?$/;

/** Moves that a table allows and no event makes: each comes by way of another state, or after the end of its job. */
const unmade: ReadonlySet<string> = new Set([
  'task ready → completed',
  'job stopping → completed',
  'run model_calling → completed',
  'run tool_calling → failed',
  'run waiting → failed',
  'run waiting → tool_calling',
  'run cancelled → idle',
]);

/** Every move that this build can make. */
export const routes: readonly string[] = [
  ...routesOf('task', taskMoves),
  ...routesOf('job', jobMoves),
  ...routesOf('run', runMoves),
].filter((route) => !unbuilt.test(route) && !unmade.has(route));
