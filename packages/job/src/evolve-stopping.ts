import { invariant } from '@foldmesh/envelope';
import type { EventOf } from './events.ts';
import { jobLimits } from './job-limits.ts';
import type { JobState } from './state.ts';
import { taskAt } from './tasks.ts';
import { type JobStatus, jobMoves, mayMove } from './transitions.ts';

export const moveJob = (state: JobState, to: JobStatus): void => {
  invariant(state.status !== undefined, 'M1: a job that was never accepted cannot move');
  mayMove(jobMoves, `job ${state.job}`, state.status, to);
  state.status = to;
};

export const stopping = (state: JobState, event: Omit<EventOf<'job-stopping'>, 'kind' | 'v'>): JobState => {
  moveJob(state, 'stopping');
  const { reason, detail, task, at, until } = event;
  state.stopping = {
    reason,
    at,
    until,
    step: state.position,
    asked: state.open.flatMap((open) =>
      open.tasks.filter((ordinal) => taskAt(state, ordinal).held !== undefined),
    ),
    ...(detail !== undefined && { detail }),
    ...(task !== undefined && { task }),
  };
  return state;
};

/** Of a job whose first event is lost as well no more is known than what this one says. */
export const historyLost = (state: JobState, event: EventOf<'history-lost'>): JobState => {
  const { tenant, job, trace_id, position, from, detail, until, at } = event;
  if (state.status === undefined)
    Object.assign(state, {
      tenant,
      job,
      trace_id,
      status: 'queued',
      spec: { name: '(unnamed)', split: 'auto', wall_ms: jobLimits.wallMsDefault },
      accepted_at: at,
      deadline: at,
    } satisfies Partial<JobState>);
  state.position = position;
  const why = `what was said from event ${from} on is lost: ${detail}`;
  const next =
    state.stopping === undefined ? stopping(state, { reason: 'invalid', detail: why, until, at }) : state;
  next.lost = why;
  return next;
};
