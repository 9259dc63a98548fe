import type { Envelope, Instant } from '@foldmesh/envelope';
import type { Decider } from '@foldmesh/ports';
import { type JobEvent, readJobEvent } from './events.ts';
import { evolveJob } from './evolve.ts';
import { followJob } from './follow.ts';
import { jobWakesAt, nextOfJob } from './next.ts';
import { onHistoryLost } from './on-history-lost.ts';
import { onInputAnswer, onInputAsk } from './on-input.ts';
import { onJobCancel } from './on-job-cancel.ts';
import { onJobSubmit } from './on-job-submit.ts';
import { onTaskSettle } from './on-task-settle.ts';
import type { Catalogue } from './plan/catalogue.ts';
import { runName } from './plan/plan.ts';
import { initialJob, type JobState } from './state.ts';
import { planOf } from './tasks.ts';
import { jobEnded } from './transitions.ts';

/** What a job listens to. */
export const jobTypes = [
  'job.submit',
  'job.cancel',
  'task.settle',
  'input.ask',
  'run.answer',
  'timer.fire',
] as const;
export type JobType = (typeof jobTypes)[number];

/** The part of the decider that reading a job's journal needs: it asks nothing of the world. */
export const jobFold = {
  fold: 1,
  read: readJobEvent,
  initial: initialJob,
  evolve: evolveJob,
  isLoss: ({ kind }: JobEvent): boolean => kind === 'history-lost',
} as const;

/** The job as a fold. The catalogue is asked only where an event then records what it said. */
export const jobDecider = (catalogue: Catalogue): Decider<JobState, JobEvent, JobType> => ({
  ...jobFold,
  decide: (state: JobState, envelope: Envelope<JobType>, at: Instant) => {
    switch (envelope.type) {
      case 'job.submit':
        return onJobSubmit(state, envelope, at, catalogue);
      case 'job.cancel':
        return onJobCancel(state, envelope, at);
      case 'task.settle':
        return onTaskSettle(state, envelope, at);
      case 'input.ask':
        return onInputAsk(state, envelope, at);
      case 'run.answer':
        return onInputAnswer(state, envelope, at);
      case 'timer.fire':
        return []; // It brings nothing but the time, which `follow` compares with what is due.
    }
  },
  lost: onHistoryLost,
  follow: followJob,
  next: nextOfJob,
  wakeAt: jobWakesAt,
  ended: (state) => state.status !== undefined && jobEnded(state.status),
});

/** The durations that completed tasks among these events took, for the catalogue's medians. */
export const observedIn = (
  state: JobState,
  events: readonly JobEvent[],
): readonly { readonly name: string; readonly ms: number }[] =>
  events.flatMap((event) =>
    event.kind === 'task-completed'
      ? [{ name: runName(planOf(state, event.task)), ms: event.ended_at - event.started_at }]
      : [],
  );
