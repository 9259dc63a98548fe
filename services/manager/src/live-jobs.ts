import {
  Instant,
  type JobId,
  PoolName,
  type Position,
  type TaskId,
  type TenantId,
  TraceId,
} from '@foldmesh/envelope';
import { type JobState, jobWakesAt } from '@foldmesh/job';
import { z } from 'zod';

/** What the index says of a job: derived, and enough for timers and the sweep after a restart. */
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
});
export type IndexedJob = z.infer<typeof IndexedJob>;

export const indexedJob = (state: JobState): IndexedJob => {
  const wake_at = jobWakesAt(state);
  const asked_at =
    state.stopping?.at ??
    state.open.reduce<number | undefined>((oldest, { at }) => Math.min(oldest ?? at, at), undefined);
  return {
    status: state.status ?? 'queued',
    name: state.spec?.name ?? '',
    ended: state.ended_at !== undefined,
    position: state.position,
    created_at: state.accepted_at,
    ...(state.spec?.labels !== undefined && { labels: state.spec.labels }),
    ...(state.trace_id !== undefined && { trace_id: state.trace_id }),
    ...(wake_at !== undefined && { wake_at }),
    ...(asked_at !== undefined && state.ended_at === undefined && { asked_at }),
  };
};

/** What the index subjects of a tenant's jobs begin with. */
export const indexPrefix = (tenant: TenantId): string => `mesh.v1.${tenant}.index.`;

export const indexSubject = (tenant: TenantId, job: JobId): string => `${indexPrefix(tenant)}${job}`;

/** Tenant and job of an index subject of a job. */
export const jobOfSubject = (
  subject: string,
): { readonly tenant: TenantId; readonly job: JobId } | undefined => {
  const [, tenant, job] = /^mesh\.v1\.([^.]+)\.index\.([^.]+)$/.exec(subject) ?? [];
  return tenant === undefined || job === undefined
    ? undefined
    : { tenant: tenant as TenantId, job: job as JobId }; // as a manager wrote them
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

/** Which run an index subject is of. */
export const runOfSubject = (
  subject: string,
): Pick<Position, 'tenant' | 'job' | 'task' | 'round'> | undefined => {
  const parts = /^mesh\.v1\.([^.]+)\.index\.([^.]+)\.run\.([^.]+)\.(\d+)$/.exec(subject);
  if (parts === null) return undefined;
  const [, tenant, job, task, round] = parts as unknown as [string, TenantId, JobId, TaskId, string]; // as a worker wrote them
  return { tenant, job, task, round: Number(round) };
};
