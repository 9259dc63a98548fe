import { type Cause, Why } from '@foldmesh/client';
import { whyOf } from '@foldmesh/manager';
import { it } from 'vitest';
import type { Run, Setup } from './mesh.ts';
import { play, submitJob } from './scenario.ts';
import { jobOf } from './specs.ts';

type Tasks = Parameters<typeof jobOf>[0];
type Step = (run: Run) => Promise<void>;

/** A story of which only what is said on the way counts. */
export const story = (name: string, setup: Setup, ...steps: readonly Step[]): void =>
  it(name, { timeout: 60_000 }, async () => {
    await play(setup, steps, 1);
  });

export const submit =
  (tasks: Tasks, more: Tasks[number] = {}): Step =>
  (run) =>
    submitJob(run, jobOf(tasks, more));

export const kill =
  (...names: readonly Parameters<Run['life']>[0][]): Step =>
  async (run) => {
    for (const name of names) run.life(name).kill();
  };

export const sleeping = (id: string, ms: number, more: Tasks[number] = {}): Tasks[number] => ({
  id,
  skill: 'debug.sleep',
  input: { ms },
  ...more,
});

/** What is said of why a job does not go on. */
export const askWhy = async (run: Run): Promise<Why> => {
  const why = await whyIfKnown(run);
  if (why === undefined) throw new Error('there is no such job');
  return why;
};

/** Undefined before a manager has taken the job on. */
const whyIfKnown = async (run: Run): Promise<Why | undefined> => {
  const why = await whyOf(run, run.jobId('job-1'));
  if (!why.ok) throw new Error(why.fault.detail);
  return why.value && Why.parse(why.value);
};

/** Asks again and again, in the story's own time, until there is such a cause; then it is the answer. */
export const causeIn = async (
  run: Run,
  reason: Cause['reason'],
  is: (cause: Cause) => boolean = () => true,
): Promise<Cause> => {
  let last: Why | undefined;
  for (let left = 600; left > 0; left--) {
    last = await whyIfKnown(run);
    const cause = last?.causes.find((one) => one.reason === reason && is(one));
    if (cause !== undefined) return cause;
    await run.clock.sleep(100);
  }
  throw new Error(`there was no cause ${reason}: ${JSON.stringify(last)}`);
};
