import {
  type Address,
  type Body,
  type Carried,
  type Envelope,
  type Fault,
  type FaultKind,
  fault,
  type Instant,
  JobId,
  type Json,
  jobTask,
  type Key,
  keyOf,
  type Outcome,
  PoolName,
  partyOf,
  type TaskAssign,
  TaskId,
  type TaskResult,
  TenantId,
  type Type,
  traceIdFrom,
  wireIdOf,
} from '@foldmesh/envelope';

export const tenant = TenantId.parse('acme');
export const job = JobId.parse('j-1');

/** When tests begin: any whole number of milliseconds does, but 0 hides a time that was never set. */
export const start: Instant = 1_000_000;

const manager: Address = { service: 'manager', pool: PoolName.parse('0') };

/** A position of the job itself: a command's, or a bundle's. */
export const jobKey = (step: number, call: number | string): Key =>
  keyOf({ tenant, job, task: jobTask, round: 1, step: String(step), call: String(call) });

/** The key of a task by where it was first assigned. */
export const taskKey = (task: string, step: number, call: number): Key =>
  keyOf({ tenant, job, task: TaskId.parse(task), round: 1, step: String(step), call: String(call) });

const envelope = <T extends Type>(type: T, key: Key, payload: Body<T>, attempt = 1): Envelope<T> => {
  const made = {
    id: wireIdOf(type, key, attempt, 0),
    type,
    v: 1,
    sender: partyOf({ service: 'worker', pool: PoolName.parse('default') }),
    receiver: partyOf(manager),
    payload,
    trace_id: traceIdFrom('a job'),
    idempotency_key: key,
    created_at: start,
    attempt,
    epoch: 0,
  };
  return made as unknown as Envelope<T>; // the compiler cannot follow that `payload` fits `type`
};

export const submit = (spec: Json, command = 'c-1'): Envelope<'job.submit'> =>
  envelope('job.submit', jobKey(0, command), { spec });

export const cancel = (reason?: string, command = 'c-2'): Envelope<'job.cancel'> =>
  envelope('job.cancel', jobKey(0, command), reason === undefined ? {} : { reason });

export const timer = (due: Instant): Envelope<'timer.fire'> =>
  envelope('timer.fire', jobKey(0, 'wake'), { due });

/** What a worker says of the assignment under `key`. */
export const settle = (key: Key, ...results: readonly TaskResult[]): Envelope<'task.settle'> =>
  envelope('task.settle', key, { results: [...results] });

/** One task's result, of its first attempt unless said otherwise. */
export const result = (key: Key, outcome: Outcome, more: Partial<TaskResult> = {}): TaskResult => ({
  key,
  attempt: 1,
  outcome,
  worker: 'worker-1',
  started_at: start,
  ended_at: start + 10,
  ...more,
});

export const done = (value: Json = null): Outcome => ({ kind: 'done', output: { value } });
export const carried = (output: Carried): Outcome => ({ kind: 'done', output });
export const unknown = (call: string, detail: string): Outcome => ({
  kind: 'unknown',
  open: { call, detail },
});
export const stopped: Outcome = { kind: 'cancelled' };

export const failed = (
  kind: FaultKind,
  detail: string,
  more: { source?: string; retry_after_ms?: number } = {},
): Outcome & { readonly fault: Fault } => ({ kind: 'failed', fault: fault(kind, detail, more) });

/** The parts of an assignment and the attempt each is in. */
export const partsOf = (
  assign: TaskAssign,
  attempt: number,
): readonly { readonly part: TaskAssign['tasks'][number]; readonly attempt: number }[] =>
  assign.tasks.map((part, index) => ({ part, attempt: assign.attempts?.[index] ?? attempt }));
