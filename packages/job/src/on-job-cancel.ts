import type { Envelope, Instant } from '@foldmesh/envelope';
import type { JobEvent } from './events.ts';
import { jobLimits } from './job-limits.ts';
import type { JobState } from './state.ts';
import { jobEnded } from './transitions.ts';

/** A job that is stopping or has ended is cancelled no further. */
export const onJobCancel = (
  state: JobState,
  { payload }: Envelope<'job.cancel'>,
  at: Instant,
): readonly JobEvent[] =>
  state.status === undefined || state.status === 'stopping' || jobEnded(state.status)
    ? []
    : [
        {
          kind: 'job-stopping',
          v: 1,
          reason: 'cancelled',
          until: at + jobLimits.stoppingMs,
          at,
          ...(payload.reason !== undefined && { detail: payload.reason }),
        },
      ];
