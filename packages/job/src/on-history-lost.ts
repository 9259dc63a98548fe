import { cut, type Instant, type TraceId } from '@foldmesh/envelope';
import type { Lost } from '@foldmesh/ports';
import type { JobEvent } from './events.ts';
import { jobLimits } from './job-limits.ts';
import type { JobState } from './state.ts';

const detailBytesMax = 1_000;

/**
 * What is left of the job's history is no ground to go on from: it stops, as an invalid one does, and says which blob is
 * gone. What is out is halted, whether it is still known or not.
 */
export const onHistoryLost = (
  state: JobState,
  { tenant, job, trace_id, digest, position, detail }: Lost & { readonly trace_id: TraceId },
  at: Instant,
): readonly JobEvent[] => [
  {
    kind: 'history-lost',
    v: 1,
    tenant,
    job,
    trace_id: state.trace_id ?? trace_id,
    digest,
    position,
    from: state.position,
    detail: cut(detail, detailBytesMax),
    until: at + jobLimits.stoppingMs,
    at,
  },
];
