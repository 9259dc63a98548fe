import {
  type Body,
  type Envelope,
  type FaultKind,
  fault,
  type Instant,
  JobId,
  type Json,
  type Key,
  keyOf,
  type Outcome,
  PoolName,
  partyOf,
  type RepliedCall,
  type Reply,
  TaskId,
  TenantId,
  type Type,
  traceIdFrom,
  wireIdOf,
} from '@foldmesh/envelope';
import type { RunType } from '../decider.ts';
import type { RunState } from '../state.ts';

const tenant = TenantId.parse('acme');
const job = JobId.parse('j-1');
const task = TaskId.parse('t');

/** When tests begin: any whole number of milliseconds does, but 0 hides a time that was never set. */
export const start: Instant = 1_000_000;

/** A position in the run's journal: of a question to the model, or of one call of a turn. */
export const runKey = (step: number, call: number | string = 0): Key =>
  keyOf({ tenant, job, task, round: 1, step: String(step), call: String(call) });

/** The task that the run is at work on; its position is one of the job's. */
export const taskKey: Key = runKey(3);

/** What arrives, addressed to where the run stands when it does. */
export type Mail = (state: RunState) => Envelope<RunType>;

const envelope = <T extends Type>(type: T, key: Key, payload: Body<T>, attempt = 1): Envelope<T> => {
  const made = {
    id: wireIdOf(type, key, attempt, 0),
    type,
    v: 1,
    sender: partyOf({ service: 'manager', pool: PoolName.parse('0') }),
    receiver: partyOf({ service: 'worker', pool: PoolName.parse('gpu') }),
    payload,
    trace_id: traceIdFrom('a job'),
    idempotency_key: key,
    created_at: start,
    attempt,
    epoch: 0,
  };
  return made as unknown as Envelope<T>; // the compiler cannot follow that `payload` fits `type`
};

export const assign =
  (agent: string, attempt = 1, input: Json = {}): Mail =>
  () =>
    envelope(
      'task.assign',
      taskKey,
      { tasks: [{ key: taskKey, run: { kind: 'agent', name: agent }, input }] },
      attempt,
    );

export const modelSays =
  (reply: Partial<Reply>, at: { step?: number; attempt?: number } = {}): Mail =>
  (state) =>
    settled(state, { kind: 'done', reply: { text: '', calls: [], ...reply } }, at);

export const modelFails =
  (kind: FaultKind, retry_after_ms?: number): Mail =>
  (state) =>
    settled(state, {
      kind: 'failed',
      fault: fault(kind, `it was ${kind}`, retry_after_ms === undefined ? {} : { retry_after_ms }),
    });

export const modelStopped: Mail = (state) => settled(state, { kind: 'cancelled' });

const settled = (
  { asked, attempt }: RunState,
  payload: Body<'model.settle'>,
  at: { step?: number; attempt?: number } = {},
): Envelope<RunType> =>
  envelope('model.settle', runKey(at.step ?? asked?.step ?? 0), payload, at.attempt ?? attempt);

/** A call as the model asks for it. */
export const toCall = (name: string, input: Json = {}, more: Partial<RepliedCall> = {}): RepliedCall => ({
  name,
  input,
  ...more,
});

/** What a call of the open turn came to, or of the turn asked for at `step`. */
export const settles =
  (
    call: number,
    outcome: Outcome,
    step?: number,
    type: 'tool.settle' | 'memory.settle' = 'tool.settle',
  ): Mail =>
  ({ group, attempt }) =>
    envelope(type, runKey(step ?? group?.step ?? 0, call), { outcome }, attempt);

export const answers =
  (call: number, value: Json, step?: number): Mail =>
  ({ group }) =>
    envelope('run.answer', runKey(step ?? group?.step ?? 0, call), { request: 'r-1', value, by: 'ann' });

export const cancels: Mail = () => envelope('run.cancel', runKey(0, 'c-1'), {});

export const wakes: Mail = () => envelope('timer.fire', runKey(0, 'wake'), { due: start });

export const done = (value: Json = null): Outcome => ({ kind: 'done', output: { value } });
export const paused = (question: string, schema?: Json): Outcome => ({
  kind: 'paused',
  question,
  ...(schema !== undefined && { schema }),
});
export const stopped: Outcome = { kind: 'cancelled' };
export const unknown = (call: string, detail: string): Outcome => ({
  kind: 'unknown',
  open: { call, detail },
});
export const failed = (kind: FaultKind, detail: string): Outcome => ({
  kind: 'failed',
  fault: fault(kind, detail),
});
