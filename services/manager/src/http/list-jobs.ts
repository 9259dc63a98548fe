import { apiLimits, type JobPage, type JobSummary, type ListQuery } from '@foldmesh/client';
import type { IndexedJob } from '../live-jobs.ts';
import type { ApiCall } from './api-call.ts';
import { jsonAnswer } from './json-answer.ts';
import type { Listed } from './listed-jobs.ts';
import { faultProblem } from './problem.ts';

/** Newest first, from the index: it follows the journal, and may be a moment behind. */
export const listJobs = async (call: ApiCall<ListQuery>): Promise<Response> => {
  const listed = await call.listed(call.tenant);
  if (!listed.ok) return faultProblem(call, listed.fault);
  const { limit = apiLimits.jobsPageDefault, cursor } = call.query;
  const after = positionIn(cursor);
  const found = listed.value
    .filter((job) => isWanted(job, call.query) && (after === undefined || newerFirst(after, job) < 0))
    .toSorted(newerFirst);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return jsonAnswer<JobPage>({
    jobs: page.map(summaryOf),
    ...(last !== undefined && { next: `${last.created_at}.${last.id}` }),
  });
};

/** All that is asked for holds. A span of time is from `created_after` on and before `created_before`, so that spans meet. */
const isWanted = ({ created_at, indexed }: Listed, query: ListQuery): boolean => {
  const { status, label = [], name, wait, created_after, created_before } = query;
  return (
    (status === undefined || status.some((one) => one === indexed.status)) &&
    label.every((one) => isLabelled(indexed, one)) &&
    (name === undefined || isNamed(indexed.name, name)) &&
    (wait === undefined || wait.some((one) => one === indexed.wait?.reason)) &&
    (created_after === undefined || created_at >= created_after) &&
    (created_before === undefined || created_at < created_before)
  );
};

const isNamed = (name: string, wanted: string): boolean =>
  wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted;

/** A name may have a `=` of its own, so the two are put together, not taken apart. */
const isLabelled = ({ labels = {} }: IndexedJob, label: string): boolean =>
  Object.entries(labels).some(([name, value]) => `${name}=${value}` === label);

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

const summaryOf = ({ id, created_at, indexed }: Listed): JobSummary => ({
  id,
  name: indexed.name,
  status: indexed.status,
  ...(indexed.wait !== undefined && { wait: indexed.wait }),
  labels: indexed.labels ?? {},
  created_at,
  ...(indexed.gaps !== undefined && { gaps: indexed.gaps }),
  links: { self: `/v1/jobs/${id}`, events: `/v1/jobs/${id}/events` },
});
