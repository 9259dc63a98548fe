import { indexedAt, indexPrefix, ok, type Result, type TenantId } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import { IndexedJob } from '../live-jobs.ts';

/** A job as the index has it. */
export interface Listed {
  readonly id: string;
  readonly created_at: number;
  readonly indexed: IndexedJob;
}

/** All jobs of a tenant, in no order. */
export const listedJobs = async (
  { index }: Pick<Ports, 'index'>,
  tenant: TenantId,
): Promise<Result<readonly Listed[]>> => {
  const listed = await index.list(indexPrefix(tenant));
  return listed.ok ? ok(listed.value.flatMap(({ subject, value }) => listedJob(subject, value))) : listed;
};

const listedJob = (subject: string, value: unknown): readonly Listed[] => {
  const of = indexedAt(subject);
  const job = of?.run === undefined ? of?.job : undefined;
  const indexed = IndexedJob.safeParse(value).data;
  return job === undefined || indexed === undefined
    ? []
    : [{ id: job, created_at: indexed.created_at ?? 0, indexed }];
};
