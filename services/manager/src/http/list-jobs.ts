import { firstIssue, indexedAt, indexPrefix, limits } from '@foldmesh/envelope';
import { JobStatus } from '@foldmesh/job';
import { z } from 'zod';
import { IndexedJob } from '../live-jobs.ts';
import type { ApiCall } from './api-call.ts';
import { faultProblem, problem } from './problem.ts';

const pageMax = 200;

/** What a list may be asked for. `cursor` is the `next` of the page before. */
const Query = z.strictObject({
  status: z.array(JobStatus).optional(),
  label: z
    .array(
      z
        .string()
        .max(2 * limits.nameLengthMax + 1)
        .regex(/^[^=]+=/, 'a label is written as name=value'),
    )
    .optional(),
  limit: z.tuple([z.coerce.number().pipe(z.int().min(1).max(pageMax))]).optional(),
  cursor: z
    .tuple([z.string().regex(/^\d{1,15}\.[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'no such page')])
    .optional(),
});

interface Listed {
  readonly id: string;
  readonly created_at: number;
  readonly indexed: IndexedJob;
}

/** Newest first, from the index: it follows the journal, and may be a moment behind. */
export const listJobs = async (call: ApiCall): Promise<Response> => {
  const { searchParams } = new URL(call.request.url);
  const asked = Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
  const query = Query.safeParse(asked);
  if (!query.success)
    return problem(call, {
      status: 400,
      code: 'invalid_query',
      title: 'There is no such list',
      detail: firstIssue(query.error),
      errors: query.error.issues.map(({ path, message }) => ({
        path: path.filter((part) => typeof part !== 'symbol'),
        message,
      })),
    });
  const listed = await call.ports.index.list(indexPrefix(call.tenant));
  if (!listed.ok) return faultProblem(call, listed.fault);
  const { status, label = [], limit: [limit] = [50], cursor: [cursor] = [undefined] } = query.data;
  const after = positionIn(cursor);
  const found = listed.value
    .flatMap(({ subject, value }) => listedJob(subject, value))
    .filter(
      (job) =>
        (status === undefined || status.some((one) => one === job.indexed.status)) &&
        label.every((one) => isLabelled(job.indexed, one)) &&
        (after === undefined || newerFirst(after, job) < 0),
    )
    .toSorted(newerFirst);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return Response.json(
    { jobs: page.map(summaryOf), ...(last !== undefined && { next: `${last.created_at}.${last.id}` }) },
    { headers: { 'cache-control': 'no-store' } },
  );
};

const listedJob = (subject: string, value: unknown): readonly Listed[] => {
  const of = indexedAt(subject);
  const job = of?.run === undefined ? of?.job : undefined;
  const indexed = IndexedJob.safeParse(value).data;
  return job === undefined || indexed === undefined
    ? []
    : [{ id: job, created_at: indexed.created_at ?? 0, indexed }];
};

type Place = Pick<Listed, 'id' | 'created_at'>;

/** One order for all: of those accepted in the same millisecond, by id. */
const newerFirst = (a: Place, b: Place): number =>
  b.created_at - a.created_at || (a.id < b.id ? 1 : Number(a.id !== b.id) * -1);

const positionIn = (cursor: string | undefined): Place | undefined => {
  const dot = cursor?.indexOf('.') ?? -1;
  return cursor === undefined
    ? undefined
    : { created_at: Number(cursor.slice(0, dot)), id: cursor.slice(dot + 1) };
};

const isLabelled = ({ labels = {} }: IndexedJob, label: string): boolean => {
  const at = label.indexOf('=');
  const name = label.slice(0, at);
  return Object.hasOwn(labels, name) && labels[name] === label.slice(at + 1);
};

const summaryOf = ({ id, created_at, indexed: { name, status, labels = {} } }: Listed) => ({
  id,
  name,
  status,
  labels,
  created_at,
  links: { self: `/v1/jobs/${id}`, events: `/v1/jobs/${id}/events` },
});
