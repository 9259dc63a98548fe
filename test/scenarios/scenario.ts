import type { Json } from '@foldmesh/envelope';
import { it } from 'vitest';
import { sound } from './checks.ts';
import { type Check, type Ending, endingOf } from './ending.ts';
import { command, ended } from './jobs.ts';
import type { Death } from './life.ts';
import { openMesh, type Run, type Setup } from './mesh.ts';

type Step = (run: Run) => Promise<void>;

/** A story of a whole mesh in virtual time, told in the order in which it happens. The same seed is the same story. */
export interface Scenario {
  /** Tells it once for each seed from 1 on. */
  seeds(count: number): Scenario;
  /** Submits a job; its name is `job-1`, `job-2` … in the order of their coming, unless it is given one. */
  submit(spec: Json, job?: string): Scenario;
  cancel(job?: string): Scenario;
  wait(ms: number): Scenario;
  /** From here on the service dies when it comes to this point. */
  crash(service: string, death: Death): Scenario;
  /** Anything else, between two steps. */
  step(step: Step): Scenario;
  /** Lets it run until all jobs have ended, for at most `limitMs`, and then until nothing moves any more. */
  run(limitMs?: number): Scenario;
  /** Declares the test. */
  expect(...checks: readonly Check[]): void;
}

/** Longer than any hand-back, lease or hold: what is still there afterwards stays. */
const quietMs = 90_000;
/** Of real time, for all seeds: time passes in jumps, so this is work and not waiting. */
const realMsMax = 60_000;
const limitMsDefault = 2 * 60 * 60_000;

export const scenario = (name: string, setup: Setup = {}): Scenario => tell(name, setup, [], 1);

const tell = (name: string, setup: Setup, steps: readonly Step[], seeds: number): Scenario => {
  const then = (step: Step): Scenario => tell(name, setup, [...steps, step], seeds);
  return {
    seeds: (count) => tell(name, setup, steps, count),
    submit: (spec, job) => then((run) => submitJob(run, spec, job)),
    cancel: (job = 'job-1') =>
      then((run) =>
        command(run, job, { type: 'job.cancel', payload: { reason: 'no longer wanted' } }, 'cancel'),
      ),
    wait: (ms) => then((run) => run.clock.sleep(ms)),
    crash: (service, death) => then(async (run) => run.fates.add(service, death)),
    step: then,
    run: (limitMs = limitMsDefault) => then((run) => untilAllEnd(run, limitMs)),
    expect: (...checks) =>
      it(
        name,
        async () => {
          for (let seed = 1; seed <= seeds; seed++) await playOnce(setup, steps, checks, seed, seeds);
        },
        realMsMax,
      ),
  };
};

export const submitJob = async (run: Run, spec: Json, job?: string): Promise<void> => {
  const name = job ?? `job-${run.submitted.length + 1}`;
  run.submitted.push(name);
  await command(run, name, { type: 'job.submit', payload: { spec } }, 'submit');
};

const untilAllEnd = async (run: Run, limitMs: number): Promise<void> => {
  const over = new AbortController();
  const late = run.clock.sleep(limitMs, over.signal).then(() => over.abort());
  await Promise.all(run.submitted.map((job) => ended(run, job, over.signal)));
  over.abort();
  await late;
  await run.clock.sleep(quietMs);
};

const playOnce = async (
  setup: Setup,
  steps: readonly Step[],
  checks: readonly Check[],
  seed: number,
  seeds: number,
): Promise<void> => {
  try {
    const ending = await play(setup, steps, seed);
    for (const check of [sound, ...checks]) check(ending);
  } catch (error) {
    if (seeds === 1) throw error;
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
};

/** Plays a story to its end and says what was there then. */
export const play = async (setup: Setup, steps: readonly Step[], seed: number): Promise<Ending> => {
  const run: Run = { ...openMesh(setup, seed), seed, submitted: [] };
  return run.clock.run(
    (async () => {
      await run.startAll();
      for (const step of steps) await step(run);
      const ending = await endingOf(run);
      await run.shutDownAll();
      return { ...ending, sleepersLeft: run.clock.sleepers() };
    })(),
  );
};
