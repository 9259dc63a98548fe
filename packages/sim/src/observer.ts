import type { Queued } from '@foldmesh/embedded';
import { indexedAt, isJsonObject, type Json, type RawHeaders } from '@foldmesh/envelope';
import type { DeadLetter, RecordId } from '@foldmesh/ports';
import type { RunEvent, RunState } from '@foldmesh/run';
import type { Coverage } from './coverage.ts';
import { looksOf } from './looks.ts';
import type { Observer, SeenJob } from './observed.ts';
import { traceProblem } from './one-trace.ts';
import type { SeenEntity } from './seen-entity.ts';
import { seenJobs } from './seen-jobs.ts';
import { taskSums } from './tasks-add-up.ts';
import { repliesProblem, usageProblem } from './usage-counted.ts';
import { wakesUp } from './wakes-up.ts';

/** `say` hears of each violation when it is first seen. */
export const observerOf = (coverage: Coverage, say: (what: string) => void): Observer => {
  const jobs = seenJobs(coverage);
  const { look, looked, wrong } = looksOf(say);
  const effects = new Map<string, number>();
  const served = new Map<string, Json[]>();
  const letters: DeadLetter[] = [];
  const struck: RecordId[] = [];
  const strikes: RecordId[] = [];
  let isStuck = false;

  const lookAtJob = ({ name, state }: SeenJob): void => {
    look('M4', taskSums(name, state));
    look('M5', usageProblem(name, state));
  };
  const lookAtRun = (run: SeenEntity<RunState, RunEvent>): void =>
    look('M5', repliesProblem(run, served.get(run.name.split('/').at(-1) ?? '') ?? []));
  const lookAtWait = (job: SeenJob): void => look('M10', wakesUp(job));

  const happened = (id: string): void => {
    const times = (effects.get(id) ?? 0) + 1;
    effects.set(id, times);
    look('M2', times > 1 ? [`${id} has happened ${times} times`] : []);
  };

  return {
    jobs: jobs.all,
    wrong,
    looked,
    letters,
    struck,
    strikes,
    restless(name) {
      isStuck = true;
      look('M1', [`${name} asks and asks, and no time passes`]);
    },
    isStuck: () => isStuck,
    happened: ({ id }) => happened(id),
    served: (task, usage) => void served.set(task, [...(served.get(task) ?? []), usage]),
    lookAtAll() {
      for (const job of jobs.all.values()) {
        lookAtJob(job);
        for (const run of job.runs.values()) lookAtRun(run);
        lookAtWait(job);
      }
    },
    watch: {
      appended(recorded) {
        const { job, run, wrong: strayed } = jobs.fold(recorded);
        look('M8', strayed);
        if (run === undefined) lookAtJob(job);
        else lookAtRun(run);
        lookAtWait(job);
      },
      queued(message) {
        jobs.of(message.job).unacked += 1;
        look('M7', traceProblem(message));
      },
      left(message) {
        const job = jobs.of(message.job);
        job.unacked -= 1;
        lookAtWait(job);
      },
      indexed(subject, value) {
        const at = indexedAt(subject);
        if (at === undefined || at.run !== undefined || !isJsonObject(value)) return;
        const job = jobs.of(at.job);
        job.indexed = value;
        lookAtWait(job);
      },
      kept: jobs.keep,
      parked: (letter) => void letters.push(letter),
      remembered: ({ text }) => happened(text),
      dropped: (message, original) => look('M1', copyProblem(message, original)),
      struck: (record) => void struck.push(record),
      strike: (record) => void strikes.push(record),
    },
  };
};

/** What is dropped as a copy must be one: a retry that is taken for what it retries is lost. */
const copyProblem = ({ job, headers }: Queued, original: RawHeaders): readonly string[] =>
  identity.every((name) => headers[name] === original[name])
    ? []
    : [
        `${job}: ${headers['Mesh-Type']} ${headers['Mesh-Key']} attempt ${headers['Mesh-Attempt']} was dropped as a copy of attempt ${original['Mesh-Attempt']}`,
      ];

const identity = ['Mesh-Type', 'Mesh-Key', 'Mesh-Attempt', 'Mesh-Epoch'] as const;
