import {
  type Body,
  type Draft,
  encodeJson,
  type Key,
  keyOf,
  type MeshHeaders,
  PoolName,
  type Sealed,
  seal,
  shardOf,
  TaskId,
  type Type,
} from '@foldmesh/envelope';
import { pool, type Run } from './mesh.ts';

/** What a message is to say of itself; everything else is as a manager of this build would have it. */
export interface Raw {
  readonly job?: string;
  readonly task?: string;
  readonly step?: string;
  readonly attempt?: number;
  readonly epoch?: number;
  readonly deadlineMs?: number;
  readonly replyTo?: string;
  /** Whose trace it says it belongs to; its own job's where nothing is said. */
  readonly trace?: string;
}

export const rawKey = (run: Run, { job = 'raw', task = 'task', step = '0' }: Raw): Key =>
  keyOf({ tenant: run.tenant, job: run.jobId(job), task: TaskId.parse(task), round: 1, step, call: '0' });

/** A message of any type, sealed as its sender would, for its own service. */
export const rawMessage = <T extends Type>(run: Run, type: T, payload: Body<T>, raw: Raw = {}): Sealed => {
  const at = run.clock.now();
  const { attempt = 1, epoch = 0, deadlineMs = 60_000, replyTo } = raw;
  const draft = {
    type,
    to: addressOf(run, type, raw),
    key: rawKey(run, raw),
    attempt,
    payload,
    deadline: at + deadlineMs,
    reply_to: replyTo,
  } as Draft; // the caller ties the payload to the type
  return seal(draft, {
    sender: 'manager',
    at,
    since: at,
    epoch,
    trace_id: run.traceOf(raw.trace ?? raw.job ?? 'raw'),
  }).message;
};

const addressOf = (run: Run, type: Type, { job = 'raw' }: Raw): Draft['to'] => {
  if (type === 'task.assign') return { service: 'worker', pool };
  if (type === 'tool.call') return { service: 'tool-gateway', pool };
  return { service: 'manager', pool: PoolName.parse(shardOf(run.jobId(job))) };
};

/** The same message with other bytes under its headers. */
export const withBody = (message: Sealed, body: Uint8Array): Sealed => ({ ...message, body });

export const withHeaders = (message: Sealed, headers: Partial<MeshHeaders>): Sealed => ({
  ...message,
  headers: { ...message.headers, ...headers },
});

/** The same message, one field of its body changed or, with undefined, left out. */
export const withField = (message: Sealed, field: string, value: unknown): Sealed => {
  const body = JSON.parse(new TextDecoder().decode(message.body));
  return withBody(message, encodeJson({ ...body, [field]: value }));
};

/** Stores it whatever it takes; says whether it was there already. */
export const publish = async (run: Run, message: Sealed): Promise<boolean> => {
  const sent = await run.ports.bus.publish(message);
  if (!sent.ok) throw new Error(`a raw message was not stored: ${sent.fault.detail}`);
  return sent.value.duplicate;
};
