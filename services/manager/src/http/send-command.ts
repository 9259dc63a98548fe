import {
  type Body,
  CommandId,
  type JobId,
  jobTask,
  keyOf,
  type Result,
  sha256Hex,
  shardOf,
  type TenantId,
  type TraceId,
} from '@foldmesh/envelope';
import { send } from '@foldmesh/runtime';
import type { Api } from './api-call.ts';

/** What people say to a job. */
export type Command = {
  readonly [T in 'job.submit' | 'job.cancel' | 'run.answer']: {
    readonly type: T;
    readonly payload: Body<T>;
  };
}['job.submit' | 'job.cancel' | 'run.answer'];

export interface Sending {
  readonly tenant: TenantId;
  readonly job: JobId;
  readonly id: CommandId;
  readonly trace_id: TraceId;
  readonly traceparent: string;
  /** A core subject on which the sender waits to be told that nothing comes of it. */
  readonly reply_to?: string;
}

/** Publishes a command of the job's manager. The API appends nothing: what comes of it is in the journal. */
export const sendCommand = (
  { ports }: Pick<Api, 'ports'>,
  command: Command,
  sending: Sending,
): Promise<Result<unknown>> => {
  const { tenant, job, id, trace_id, traceparent, reply_to } = sending;
  const at = ports.clock.now();
  const key = keyOf({ tenant, job, task: jobTask, round: 1, step: '0', call: id });
  return send(
    ports,
    {
      ...command,
      to: { service: 'manager', pool: shardOf(job) },
      key,
      attempt: 1,
      ...(reply_to !== undefined && { reply_to }),
    },
    { sender: 'manager', at, since: at, epoch: 0, trace_id, traceparent },
  );
};

/** The same words make the same command, so that one that is sent again is one. */
export const commandIdOf = (...words: readonly string[]): CommandId =>
  CommandId.parse(`c-${sha256Hex(JSON.stringify(words)).slice(0, 32)}`);
