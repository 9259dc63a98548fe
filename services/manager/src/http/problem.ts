import type { Fault, FaultKind, TraceId } from '@foldmesh/envelope';
import type { Problem } from '@foldmesh/job';
import type { ParsedText } from '@foldmesh/system';

/** One thing wrong with what was sent, with its line where it has one. */
export interface Wrong extends Problem {
  readonly line?: number;
}

type Status = 400 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

/** What a route says when it says no. */
export interface Refusal {
  readonly status: Status;
  /** One word for programs: `invalid_job`, `not_found` … */
  readonly code: string;
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
  const body = {
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

export const withLines = (problems: readonly Problem[], lineOf: ParsedText['lineOf']): readonly Wrong[] =>
  problems.map(({ path, message }) => {
    const line = lineOf(path);
    return { path, message, ...(line !== undefined && { line }) };
  });
