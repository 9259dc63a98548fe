import {
  CommandId,
  type Digest,
  type Draft,
  digestOf,
  encodeJson,
  fingerprint,
  JobId,
  jobTask,
  type Key,
  keyOf,
  PoolName,
  type Queue,
  type Sealed,
  type Stamp,
  seal,
  shardOf,
  TaskId,
  TenantId,
  type Type,
  traceIdFrom,
  type WireId,
  wireIdOf,
} from '@foldmesh/envelope';
import type { ClaimRequest, DeadLetter, Entity, RecordId, Stored } from '@foldmesh/ports';

interface Which {
  readonly tenant?: TenantId;
  readonly job?: JobId;
  readonly attempt?: number;
  readonly epoch?: number;
  readonly input?: string;
}

/** Messages, keys, records and entities under names that no other test uses. */
export type Samples = ReturnType<typeof samples>;

export const samples = (name: string) => {
  const tenant = TenantId.parse(`tenant-${name}`);
  const job = JobId.parse(`job-${name}`);
  const pool = PoolName.parse(`pool-${name}`);
  const task = TaskId.parse('task');
  const gateway: Queue = { service: 'tool-gateway', pool, lane: 'call' };
  const worker: Queue = { service: 'worker', pool, lane: 'decide' };
  const shard = (of: JobId) => ({ service: 'manager', pool: shardOf(of) }) as const;

  const key = (step: number, which: Which = {}): Key =>
    keyOf({
      tenant: which.tenant ?? tenant,
      job: which.job ?? job,
      task,
      round: 1,
      step: String(step),
      call: '0',
    });

  const sealed = (draft: Draft, which: Which): Sealed => seal(draft, stampOf(which.epoch ?? 0)).message;

  return {
    tenant,
    job,
    otherJob: JobId.parse(`other-${name}`),
    jobNamed: (word: string): JobId => JobId.parse(`${word}-${name}`),
    otherTenant: TenantId.parse(`stranger-${name}`),
    /** Where `toolCall` goes. */
    gateway,
    /** Where `toolSettle` goes. */
    worker,
    manager: (lane: 'submit' | 'call', of: JobId = job): Queue => ({ ...shard(of), lane }),
    key,
    /** The same step, attempt and epoch always have the same wire id; the epoch is in no subject. */
    toolCall: (step: number, which: Which = {}): Sealed =>
      sealed(
        {
          type: 'tool.call',
          to: gateway,
          key: key(step, which),
          attempt: which.attempt ?? 1,
          payload: { tool: 'test.tool', input: which.input ?? `step ${step}` },
        },
        which,
      ),
    toolSettle: (step: number, which: Which = {}): Sealed =>
      sealed(
        {
          type: 'tool.settle',
          to: worker,
          key: key(step, which),
          attempt: 1,
          payload: { outcome: { kind: 'cancelled' } },
        },
        which,
      ),
    jobHalt: (step: number, which: Which = {}): Sealed =>
      sealed(
        { type: 'job.halt', to: shard(which.job ?? job), key: key(step, which), attempt: 1, payload: {} },
        which,
      ),
    jobSubmit: (command: string, of: JobId = job): Sealed =>
      sealed(
        {
          type: 'job.submit',
          to: shard(of),
          key: keyOf({ tenant, job: of, task: jobTask, round: 1, step: '0', call: CommandId.parse(command) }),
          attempt: 1,
          payload: { spec: { goal: command } },
        },
        {},
      ),
    record: (step: number, type: Type = 'tool.call', which: Which = {}): RecordId => ({
      type,
      key: key(step, which),
    }),
    entity: (run?: { readonly task: string; readonly round: number }, of: JobId = job): Entity => ({
      tenant,
      job: of,
      ...(run && { run: { task: TaskId.parse(run.task), round: run.round } }),
    }),
    appendId: (what: string): WireId => wireIdOf('append', `${name} ${what}`, 1, 0),
    deadLetter: (id: string, more: Partial<DeadLetter> = {}): DeadLetter => ({
      id: wireIdOf('dead', `${name} ${id}`, 1, 0),
      tenant,
      job,
      key: key(1),
      subject: `mesh.v1.${tenant}.work`,
      headers: { 'Mesh-Type': 'tool.call' },
      body: new Uint8Array([0xff, 0x00, 0xfe]),
      reason: 'unreadable',
      strikes: 4,
      first_at: 1,
      last_at: 2,
      ...more,
    }),
  };
};

const stampOf = (epoch: number): Stamp => ({
  sender: 'manager',
  at: 1_800_000_000_000,
  since: 1_800_000_000_000,
  epoch,
  trace_id: traceIdFrom('contract'),
});

/** A claim of one owner; what it asks decides its fingerprint. */
export const claimOf = (id: RecordId, owner: string, leaseMs: number, asked = 'this'): ClaimRequest => ({
  ...id,
  owner,
  leaseMs,
  print: fingerprint('tool.call', { tool: 'test.tool', input: asked }),
  label: `asks ${asked}`,
});

export const doneWith = (value: string): Stored => ({ outcome: { kind: 'done', output: { value } } });

export const bytesOf = (text: string): Uint8Array => encodeJson(text);

/** A digest that no stored bytes have. */
export const absentDigest: Digest = digestOf(new Uint8Array([1, 2, 3, 4, 5]));
