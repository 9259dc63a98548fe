import { type Json, json } from '@foldmesh/envelope';
import { JobRecord, type JobSpec, type JobStatus, type WaitReason } from '@foldmesh/job';
import { ApiError } from './api-error.ts';
import { apiLimits } from './api-limits.ts';
import { ArtifactPage } from './artifact-list.ts';
import { type Ask, callerOf } from './caller.ts';
import { CatalogueListing } from './catalogue-listing.ts';
import { Accepted, CancelReceipt, InputReceipt, PlanPreview } from './commands.ts';
import { Ready } from './health.ts';
import { jobEvents, type Reading } from './job-events.ts';
import { JobPage, type JobSummary } from './job-list.ts';
import { JournalPage } from './journal-page.ts';
import { resend } from './resend.ts';
import { RunMessages } from './run-messages.ts';
import type { StreamStep } from './stream-event.ts';
import { type Fetch, platform, type Surroundings } from './surroundings.ts';
import { TaskDetail } from './task-detail.ts';
import { Why } from './why.ts';

export interface ClientSettings {
  /** Where the API is: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The API key, where the mesh wants one. */
  readonly key?: string;
  /** How long an answer may take, or the first word of a stream. Milliseconds; 30 s where nothing is said. */
  readonly answerMs?: number;
  /** The platform's, where nothing is said. */
  readonly fetch?: Fetch;
  readonly clock?: Surroundings['clock'];
}

interface Given {
  readonly signal?: AbortSignal;
}

export interface Submitting extends Given {
  /** Makes one job of all submits that carry it. Without one, nothing is ever sent twice. */
  readonly idempotencyKey?: string;
  /** How long a submit with a key is sent again after what may pass. Milliseconds; not at all where nothing is said. */
  readonly retryForMs?: number;
}

/** All of it must hold; several statuses or reasons are alternatives. Times are milliseconds UTC or ISO 8601. */
export interface JobFilter {
  readonly status?: readonly JobStatus[];
  readonly wait?: readonly WaitReason[];
  readonly labels?: Readonly<Record<string, string>>;
  /** The whole name, or its beginning and `*`. */
  readonly name?: string;
  readonly created_after?: number | string;
  readonly created_before?: number | string;
}

export interface Paging {
  /** How many in one page. */
  readonly limit?: number;
}

/** The jobs as they come, over all pages, and the pages by themselves. */
export interface JobListing extends AsyncIterable<JobSummary> {
  page(cursor?: string): Promise<JobPage>;
}

/** The API of a mesh, typed. Every failure is an `ApiError`. */
export interface FoldmeshClient {
  /** A text is a job in YAML or JSON. */
  submit(job: JobSpec | Json, submitting?: Submitting): Promise<Accepted>;
  /** What would be done with a job; nothing is. */
  plan(job: JobSpec | Json, given?: Given): Promise<PlanPreview>;
  get(
    job: string,
    asked?: Given & { readonly tasks_after?: string; readonly tasks_limit?: number },
  ): Promise<JobRecord>;
  list(filter?: JobFilter, asked?: Given & Paging): JobListing;
  /** To the end of the job, each event once, whatever breaks on the way. */
  events(job: string, reading?: Reading): AsyncIterable<StreamStep>;
  cancel(job: string, asked?: Given & { readonly reason?: string }): Promise<CancelReceipt>;
  answer(job: string, request: string, value: Json, given?: Given): Promise<InputReceipt>;
  why(job: string, given?: Given): Promise<Why>;
  journal(
    job: string,
    asked?: Given &
      Paging & {
        readonly task?: string;
        readonly round?: number;
        readonly at?: number;
        readonly after?: number;
      },
  ): Promise<JournalPage>;
  task(job: string, task: string, given?: Given): Promise<TaskDetail>;
  messages(
    job: string,
    task: string,
    asked?: Given & Paging & { readonly round?: number; readonly after?: number },
  ): Promise<RunMessages>;
  artifacts(job: string, asked?: Given & Paging & { readonly after?: string }): Promise<ArtifactPage>;
  /** The content of one artifact. */
  artifact(job: string, digest: string, given?: Given): Promise<Json>;
  catalogue(given?: Given): Promise<CatalogueListing>;
  /** That it may be sent requests; a failure names everything that keeps it from answering them. */
  ready(given?: Given): Promise<Ready>;
}

export const foldmeshClient = ({
  url,
  key,
  answerMs = apiLimits.answerMs,
  fetch,
  clock,
}: ClientSettings): FoldmeshClient => {
  const around = {
    ...platform,
    ...(fetch !== undefined && { fetch }),
    ...(clock !== undefined && { clock }),
  };
  const caller = callerOf({ url, key, answerMs }, around);
  const { value } = caller;
  return {
    submit: async (job, { idempotencyKey, retryForMs = 0, signal } = {}) => {
      const ask: Ask = {
        method: 'POST',
        path: ['v1', 'jobs'],
        body: job,
        signal,
        ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': quoted(idempotencyKey) } }),
      };
      const send = () => value(ask, Accepted);
      // Without a key nobody could tell the second from another job.
      return idempotencyKey === undefined ? send() : resend(send, around, { forMs: retryForMs, signal });
    },
    plan: (job, given) => value({ method: 'POST', path: ['v1', 'plan'], body: job, ...given }, PlanPreview),
    get: (job, { signal, ...query } = {}) => value({ path: pathOf(job), query, signal }, JobRecord),
    list: (filter = {}, { signal, limit } = {}) =>
      listing((cursor) =>
        value({ path: ['v1', 'jobs'], query: { ...queryOf(filter), limit, cursor }, signal }, JobPage),
      ),
    events: (job, reading = {}) => jobEvents(caller, job, reading, around),
    cancel: (job, { reason, signal } = {}) =>
      value({ method: 'POST', path: pathOf(job, 'cancel'), body: { reason }, signal }, CancelReceipt),
    answer: (job, request, answer, given) =>
      value(
        { method: 'POST', path: pathOf(job, 'inputs', request), body: { value: answer }, ...given },
        InputReceipt,
      ),
    why: (job, given) => value({ path: pathOf(job, 'why'), ...given }, Why),
    journal: (job, { signal, ...query } = {}) =>
      value({ path: pathOf(job, 'journal'), query, signal }, JournalPage),
    task: (job, task, given) => value({ path: pathOf(job, 'tasks', task), ...given }, TaskDetail),
    messages: (job, task, { signal, ...query } = {}) =>
      value({ path: pathOf(job, 'tasks', task, 'messages'), query, signal }, RunMessages),
    artifacts: (job, { signal, ...query } = {}) =>
      value({ path: pathOf(job, 'artifacts'), query, signal }, ArtifactPage),
    artifact: (job, digest, given) => value({ path: pathOf(job, 'artifacts', digest), ...given }, json),
    catalogue: (given) => value({ path: ['v1', 'catalogue'], ...given }, CatalogueListing),
    ready: (given) => value({ path: ['readyz'], ...given }, Ready),
  };
};

const pathOf = (job: string, ...rest: readonly string[]) => ['v1', 'jobs', job, ...rest];

const queryOf = ({ labels = {}, ...filter }: JobFilter) => ({
  ...filter,
  label: Object.entries(labels).map(([name, value]) => `${name}=${value}`),
});

/** A string of Structured Fields, as the draft of the header has it. */
const quoted = (key: string): string => {
  if (!/^[\x20-\x7e]+$/.test(key) || key.length > apiLimits.keyLengthMax)
    throw new ApiError({
      message: `an idempotency key has 1 to ${apiLimits.keyLengthMax} characters of ASCII that can be printed`,
      code: 'invalid_key',
      retryable: false,
    });
  return `"${key.replace(/["\\]/g, '\\$&')}"`;
};

const listing = (page: (cursor?: string) => Promise<JobPage>): JobListing => ({
  page,
  async *[Symbol.asyncIterator]() {
    for (let next: string | undefined, first = true; first || next !== undefined; first = false) {
      const { jobs, next: after } = await page(next);
      yield* jobs;
      next = after;
    }
  },
});
