import { apiLimits, type ProblemCode, type ProblemDetails, type Wrong } from '@foldmesh/client';
import { cut, type Fault, type FaultKind, type TraceId } from '@foldmesh/envelope';
import type { Problem } from '@foldmesh/job';
import type { ParsedText } from '@foldmesh/system';

type Status = 400 | 401 | 403 | 404 | 405 | 406 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

/** What a route says when it says no. */
export interface Refusal {
  readonly status: Status;
  /** One word for programs: `invalid_job`, `not_found` … */
  readonly code: ProblemCode;
  /** A sentence for people. */
  readonly title: string;
  readonly detail?: string | undefined;
  readonly retryAfterS?: number;
  readonly errors?: readonly Wrong[];
  /** The job that it is about, where it may come to be. */
  readonly job?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The one shape of every error: problem details (RFC 9457), and what a client needs to act on them. Never a stack trace. */
export const problem = ({ trace_id }: { readonly trace_id: TraceId }, refusal: Refusal): Response => {
  const { status, code, title, detail, retryAfterS, errors = [], job, headers } = refusal;
  const body: ProblemDetails = {
    type: `urn:foldmesh:problem:${code}`,
    title,
    status,
    ...(detail !== undefined && { detail }),
    code,
    retryable: status === 429 || status === 503,
    trace_id,
    errors,
    ...(job !== undefined && { job }),
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
      // There is no quota that a policy could tell of: what is full is the mesh, and for how long nobody knows better.
      ...(status === 429 && { ratelimit: `"${code}";r=0;t=${retryAfterS ?? 1}` }),
      ...headers,
    },
  });
};

const refusals: Readonly<Record<FaultKind, Pick<Refusal, 'status' | 'title'>>> = {
  unavailable: { status: 503, title: 'Part of the mesh is away; ask again' },
  unanswered: { status: 503, title: 'It may have happened; ask again' },
  throttled: { status: 429, title: 'Too much is waiting; ask again later' },
  overflow: { status: 413, title: 'It is too large' },
  invalid: { status: 500, title: 'What is stored cannot be read' },
  refused: { status: 500, title: 'The store refused it' },
};

/** What a port said, as an answer. */
export const faultProblem = (
  call: { readonly trace_id: TraceId },
  { kind, detail, retry_after_ms }: Fault,
  job?: string,
): Response => {
  const { status, title } = refusals[kind];
  return problem(call, {
    status,
    code: kind,
    title,
    detail,
    ...((status === 429 || status === 503) && { retryAfterS: secondsOf(retry_after_ms ?? 0) }),
    ...(job !== undefined && { job }),
  });
};

/** Whole seconds, as headers have them; never 0, which would mean at once. */
const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** The same for one job and another's: who may not see it learns nothing. */
export const notFound = (call: { readonly trace_id: TraceId }, what: string): Response =>
  problem(call, { status: 404, code: 'not_found', title: `There is no such ${what}` });

/** What is asked for behind the `?` is nothing that there is. */
export const invalidQuery = (call: { readonly trace_id: TraceId }, wrong: readonly Wrong[]): Response => {
  const errors = asManyAsAreRead(wrong, (one) => one);
  return problem(call, {
    status: 400,
    code: 'invalid_query',
    title: 'The query asks for nothing that there is',
    detail: errors
      .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
      .join('; '),
    errors,
  });
};

export const withLines = (problems: readonly Problem[], lineOf: ParsedText['lineOf']): readonly Wrong[] =>
  asManyAsAreRead(problems, ({ path, message }) => {
    const line = lineOf(path);
    return { path, message, ...(line !== undefined && { line }) };
  });

const { errorsMax } = apiLimits;

/** The first of what is wrong, and how many more there are: a body can be wrong in half a million places. */
const asManyAsAreRead = <T>(all: readonly T[], told: (one: T) => Wrong): readonly Wrong[] => {
  const first = all.slice(0, errorsMax).map(told).map(shortened);
  const more = all.length - first.length;
  return more > 0 ? [...first, { path: [], message: `and ${more} more` }] : first;
};

const nameBytesMax = 256;
const messageBytesMax = 1024;

/** A name that nobody knows may be as long as the body. */
const shortened = ({ path, message, ...place }: Wrong): Wrong => ({
  path: path.map((part) => (typeof part === 'string' ? cut(part, nameBytesMax) : part)),
  message: cut(message, messageBytesMax),
  ...place,
});
