import { ProblemDetails, type Wrong } from './problem-details.ts';

interface Failure {
  readonly message: string;
  readonly code: string;
  readonly retryable: boolean;
  readonly status?: number;
  readonly problem?: ProblemDetails;
  readonly retryAfterMs?: number;
}

/**
 * Every failure of a request. `code` is the problem's own; beside those there are `unaskable` (what was to be asked cannot
 * be sent), `unreachable` (no answer came), `aborted` (by the caller's signal) and `unreadable` (the answer is none of this API).
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Of the answer; undefined when none came. */
  readonly status: number | undefined;
  readonly problem: ProblemDetails | undefined;
  readonly trace_id: string | undefined;
  readonly errors: readonly Wrong[];
  /** How long to wait at least before asking again, where the answer said so. */
  readonly retryAfterMs: number | undefined;

  constructor(failure: Failure, options?: ErrorOptions) {
    const { message, code, retryable, status, problem, retryAfterMs } = failure;
    super(message, options);
    this.code = code;
    this.retryable = retryable;
    this.status = status;
    this.problem = problem;
    this.trace_id = problem?.trace_id;
    this.errors = problem?.errors ?? [];
    this.retryAfterMs = retryAfterMs;
  }
}

/** What an answer that is no success says, whoever gave it: a proxy in between speaks no problem details. */
export const errorIn = async (response: Response, now: number): Promise<ApiError> => {
  const { status } = response;
  const retryAfterMs = retryAfterIn(response.headers.get('retry-after'), now);
  const problem = ProblemDetails.safeParse(await response.json().catch(() => undefined)).data;
  const told = problem?.detail ?? problem?.errors[0]?.message;
  return new ApiError({
    message:
      problem === undefined
        ? `the answer was ${status} without a reason`
        : `${problem.title}${told === undefined ? '' : `: ${told}`}`,
    code: problem?.code ?? 'unreadable',
    retryable: problem?.retryable ?? (status === 429 || status >= 502),
    status,
    ...(problem !== undefined && { problem }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
};

/** What says to wait for longer is asked again sooner: by then nobody remembers why. Milliseconds. */
const retryAfterMsMax = 5 * 60_000;

/** Seconds, or a date as HTTP writes it: `Date.parse` would take `-5` for a month. */
const retryAfterIn = (header: string | null, now: number): number | undefined => {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, retryAfterMsMax);
  const until = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(until) ? undefined : Math.min(Math.max(0, until - now), retryAfterMsMax);
};
