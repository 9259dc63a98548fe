import type { Agent } from './agent.ts';

/** What a job says to all its agents. */
export interface JobTold {
  readonly goal?: string | undefined;
  /** What the whole job may take, milliseconds. */
  readonly wall_ms: number;
}

/**
 * What an agent is told before its input: its own instructions, what its job is for, and what it may spend. Nothing in it
 * depends on the clock or on what was said since, so it is the same for every turn and every repeat.
 */
export const instructionsOf = ({ instructions, limits }: Agent, job: JobTold | undefined): string => {
  const { turns, parallel, group_ms } = limits;
  const own = `${turns} turns, your answer among them; ${parallel} calls side by side in a turn, ${secondsOf(group_ms)} for all of them`;
  return [
    instructions,
    ...(job?.goal === undefined ? [] : [`The job's goal: ${job.goal}`]),
    `Your limits: ${own}${job === undefined ? '' : `; ${secondsOf(job.wall_ms)} for the whole job`}.`,
  ].join('\n\n');
};

const secondsOf = (ms: number): string => `${ms / 1_000} s`;
