import {
  type Draft,
  type JobId,
  type Key,
  keyOf,
  ok,
  type PoolName,
  type RawHeaders,
  type Result,
  type Sealed,
  seal,
  type TaskId,
  type TenantId,
  traceIdFrom,
  writeHeaders,
} from '@foldmesh/envelope';
import type { Clock, Delivery } from '@foldmesh/ports';

export const tenant = 'acme' as TenantId; // a token
export const job = 'j-1' as JobId; // a token
export const pool = 'default' as PoolName; // a token
export const trace = traceIdFrom('a trace');

export const keyAt = (step: number | string, task = 'task'): Key =>
  keyOf({ tenant, job, task: task as TaskId, round: 1, step: String(step), call: '0' }); // a token

/** What a message says of itself where a test wants something else. */
export interface Which {
  readonly attempt?: number;
  readonly epoch?: number;
  readonly since?: number;
  readonly deadline?: number;
  readonly reply_to?: string;
  readonly traceparent?: string;
}

export const toolCall = (
  step: number | string,
  at: number,
  which: Which & { readonly input?: string } = {},
): Sealed =>
  sealed(
    {
      type: 'tool.call',
      to: { service: 'tool-gateway', pool },
      key: keyAt(step),
      attempt: which.attempt ?? 1,
      payload: { tool: 'test.tool', input: which.input ?? `step ${step}` },
      deadline: which.deadline ?? at + 60_000,
      reply_to: which.reply_to,
    },
    at,
    which,
  );

/** A command from outside, told apart by its step. */
export const jobCancel = (step: number, at: number, reason: string, which: Which = {}): Sealed =>
  sealed(
    {
      type: 'job.cancel',
      to: { service: 'manager', pool },
      key: keyAt(step, '_job'),
      attempt: 1,
      payload: { reason },
    },
    at,
    which,
  );

export const sealed = (
  draft: Draft,
  at: number,
  { epoch = 0, since = at, traceparent }: Which = {},
): Sealed => seal(draft, { sender: 'manager', at, since, epoch, trace_id: trace, traceparent }).message;

/** A delivery that remembers what was said of it. */
export interface FakeDelivery extends Delivery {
  /** `ack`, `working`, `nak 2000` … */
  readonly said: readonly string[];
}

export interface Delivered {
  readonly redelivered?: boolean;
  readonly receivedAt?: number;
  readonly headers?: RawHeaders;
  readonly body?: Uint8Array;
  /** What the broker answers to `working`, while it is asked. */
  readonly working?: () => Promise<Result<void>>;
}

export const deliveryOf = (message: Sealed, clock: Clock, how: Delivered = {}): FakeDelivery => {
  const said: string[] = [];
  const saying = async (what: string): Promise<Result<void>> => {
    said.push(what);
    return ok(undefined);
  };
  return {
    subject: message.subject,
    headers: how.headers ?? writeHeaders(message.headers),
    body: how.body ?? message.body,
    redelivered: how.redelivered ?? false,
    received_at: how.receivedAt ?? clock.now(),
    said,
    ack: () => saying('ack'),
    async working() {
      await saying('working');
      return how.working === undefined ? ok(undefined) : how.working();
    },
    nak: (delayMs) => saying(`nak ${delayMs}`),
  };
};
