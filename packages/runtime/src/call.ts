import type { Instant, JobId, Key, Result, TenantId, TraceId } from '@foldmesh/envelope';
import type { Grip } from '@foldmesh/ports';
import type { Span } from '@opentelemetry/api';

/** What a handler and its middleware know of the request they carry out. */
export interface Call {
  readonly tenant: TenantId;
  readonly job: JobId;
  readonly key: Key;
  readonly attempt: number;
  /** Tries before this one that ended without a word. */
  readonly strikes: number;
  /** Claims before this one that ended with a fault that says later. */
  readonly tries: number;
  /** It may have run before, in part or whole. */
  readonly again: boolean;
  /** When this position was first sent. */
  readonly since: Instant;
  readonly deadline: Instant;
  readonly signal: AbortSignal;
  readonly trace_id: TraceId;
  readonly span: Span;
  /** Says that an unsafe effect is about to leave: from here on a lapse is `unknown`, not another try. */
  start(): Promise<Result<Grip>>;
}

/** Carries one request out; a failure of the world is a value. */
export type Handler<Q, A> = (request: Q, call: Call) => Promise<Result<A>>;

/** Everything cross-cutting is one of these. */
export type Middleware<Q, A> = (next: Handler<Q, A>) => Handler<Q, A>;

/** The first wraps all others: it is outermost. */
export const chain = <Q, A>(middleware: readonly Middleware<Q, A>[], handler: Handler<Q, A>): Handler<Q, A> =>
  middleware.reduceRight((next, wrap) => wrap(next), handler);
