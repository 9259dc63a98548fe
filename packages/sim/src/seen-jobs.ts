import type { Digest } from '@foldmesh/envelope';
import { jobFold } from '@foldmesh/job';
import type { Recorded } from '@foldmesh/ports';
import { type RunEvent, type RunState, runFold } from '@foldmesh/run';
import type { Coverage } from './coverage.ts';
import { jobMovesIn, runMovesIn } from './moves.ts';
import type { SeenJob } from './observed.ts';
import { type SeenEntity, see, unseenEntity } from './seen-entity.ts';

/** Every job that something was stored of, folded on with each entry. */
export interface SeenJobs {
  readonly all: ReadonlyMap<string, SeenJob>;
  of(name: string): SeenJob;
  /** Folds one more entry of a job or of one of its runs; gives what is wrong with it, and the run where it is one's. */
  fold(recorded: Recorded): {
    readonly job: SeenJob;
    readonly run: SeenEntity<RunState, RunEvent> | undefined;
    readonly wrong: readonly string[];
  };
  /** Keeps a blob that an entry may name. */
  keep(digest: Digest, bytes: Uint8Array): void;
}

export const seenJobs = (coverage: Coverage): SeenJobs => {
  const all = new Map<string, SeenJob>();
  const blobs = new Map<string, Uint8Array>();
  const [onJobEvent, onRunEvent] = [jobMovesIn(coverage), runMovesIn(coverage)];

  const of = (name: string): SeenJob => {
    const job = all.get(name) ?? {
      ...unseenEntity(name, jobFold),
      runs: new Map(),
      indexed: undefined,
      unacked: 0,
    };
    all.set(name, job);
    return job;
  };

  const runOf = (job: SeenJob, task: string): SeenEntity<RunState, RunEvent> => {
    const run = job.runs.get(task) ?? unseenEntity(`${job.name}/${task}`, runFold);
    job.runs.set(task, run);
    return run;
  };

  return {
    all,
    of,
    fold(recorded) {
      const job = of(recorded.entity.job);
      const { run: entity } = recorded.entity;
      const step = { recorded, blob: (digest: string) => blobs.get(digest) };
      if (entity === undefined)
        return { job, run: undefined, wrong: see(job, { ...step, fold: jobFold, onEvent: onJobEvent }) };
      const run = runOf(job, entity.task);
      return { job, run, wrong: see(run, { ...step, fold: runFold, onEvent: onRunEvent }) };
    },
    keep: (digest, bytes) => void blobs.set(digest, bytes),
  };
};
