import { encodeJson, invariant, JobId, type TenantId, wireIdOf } from '@foldmesh/envelope';
import type { JobEvent } from '@foldmesh/job';
import type { Ports } from '@foldmesh/ports';

/** Appends to a job's journal what no manager has decided, so that its readers have something to read. */
export const journalWriter = ({ journal }: Ports, tenant: TenantId, job: string) => {
  const entity = { tenant, job: JobId.parse(job) };
  return async (events: readonly JobEvent[]): Promise<number> => {
    const last = await journal.last(entity);
    invariant(last.ok, 'the journal can be read');
    const expected = last.value?.seq ?? 0;
    const entry = encodeJson({ v: 1, causes: [], at: 1, first: 0, events, tail_bytes: 0 });
    const id = wireIdOf('entry', job, 1, expected);
    const appended = await journal.append({ entity, entry, expected, id });
    invariant(appended.ok && appended.value.kind === 'stored', 'nobody else writes');
    return appended.value.seq;
  };
};

/** What it says when the first task of a job is tried once more: together so many bytes, or a little more. */
export const anotherTry = (bytes: number): readonly JobEvent[] => [
  {
    kind: 'task-failed',
    v: 1,
    task: 0,
    attempt: 1,
    worker: 'w',
    started_at: 1,
    ended_at: 1,
    fault: { kind: 'unavailable', detail: 'x'.repeat(bytes), retry_after_ms: 0 },
    route: 'retry',
    due: 1,
    free: true,
  },
  { kind: 'tasks-retried', v: 1, tasks: [0] },
  { kind: 'tasks-assigned', v: 1, assignments: [[0]], at: 1 },
];

export const lastEvent: JobEvent = { kind: 'job-cancelled', v: 1, end_reason: 'cancelled', at: 1 };
