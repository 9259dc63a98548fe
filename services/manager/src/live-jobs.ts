import { Instant, indexSubject, type JobPosition, PoolName, TraceId } from '@foldmesh/envelope';
import { type JobState, jobWait, jobWakesAt, statusOf, Wait } from '@foldmesh/job';
import type { Ports } from '@foldmesh/ports';
import { z } from 'zod';

/**
 * What the index says of a job: derived, and enough for timers and the sweep after a restart. Status and reason are words of
 * the manager that decided it, which may be a newer one.
 */
export const IndexedJob = z.object({
  status: z.string(),
  name: z.string(),
  ended: z.boolean(),
  /** Events so far: names the timer, so that every replica fires the same one. */
  position: z.int().nonnegative(),
  wake_at: Instant.optional(),
  /** When the oldest thing in flight was asked. */
  asked_at: Instant.optional(),
  trace_id: TraceId.optional(),
  created_at: Instant.optional(),
  labels: z.record(z.string(), z.string()).optional(),
  /** What the job as a whole waits for. */
  wait: Wait.extend({ reason: z.string() }).optional(),
  /** Of a job that completed all the same: how many of its tasks did not. */
  gaps: z.int().positive().optional(),
});
export type IndexedJob = z.infer<typeof IndexedJob>;

export const indexedJob = (state: JobState): IndexedJob => {
  const wake_at = jobWakesAt(state);
  const wait = jobWait(state);
  const gaps = gapsIn(state);
  const asked_at =
    state.stopping?.at ??
    state.open.reduce<number | undefined>((oldest, { at }) => Math.min(oldest ?? at, at), undefined);
  return {
    status: statusOf(state),
    name: state.spec?.name ?? '',
    ended: state.ended_at !== undefined,
    position: state.position,
    created_at: state.accepted_at,
    ...(state.spec?.labels !== undefined && { labels: state.spec.labels }),
    ...(state.trace_id !== undefined && { trace_id: state.trace_id }),
    ...(wait !== undefined && { wait }),
    ...(wake_at !== undefined && { wake_at }),
    ...(asked_at !== undefined && state.ended_at === undefined && { asked_at }),
    ...(gaps > 0 && { gaps }),
  };
};

const gapsIn = ({ status, tasks }: JobState): number =>
  status === 'completed' ? tasks.filter((task) => task.status !== 'completed').length : 0;

/** The index is only derived, but every build can read it, also where it cannot read the journal. */
export const indexedJobOf = async (
  { index }: Pick<Ports, 'index'>,
  of: JobPosition,
): Promise<IndexedJob | undefined> => {
  const subject = indexSubject(of);
  const listed = await index.list(subject);
  const value = listed.ok ? listed.value.find((one) => one.subject === subject)?.value : undefined;
  return IndexedJob.safeParse(value).data;
};

/** What a worker writes of a run into the index: enough for its timer. */
export const IndexedRun = z.object({
  ended: z.boolean(),
  position: z.int().nonnegative(),
  pool: PoolName,
  trace_id: TraceId,
  wake_at: Instant.optional(),
});
export type IndexedRun = z.infer<typeof IndexedRun>;
