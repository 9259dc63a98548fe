import { z } from 'zod';
import { sha256Hex } from './digest.ts';
import { limits } from './limits.ts';

/** One subject token, as the source of a pattern: no dot, no wildcard, no space. */
export const tokenPattern = '[A-Za-z0-9][A-Za-z0-9_-]{0,63}';
const token = new RegExp(`^${tokenPattern}$`);
const say = (what: string) => `${what} must match ${tokenPattern}`;

export const TenantId = z.string().regex(token, say('a tenant id')).brand<'TenantId'>();
export type TenantId = z.infer<typeof TenantId>;

export const JobId = z.string().regex(token, say('a job id')).brand<'JobId'>();
export type JobId = z.infer<typeof JobId>;

/** The id a person gives a task in a plan; children append to it. */
export const TaskName = z.string().regex(token, say('a task id'));

/** A task as the mesh names it: `audit`, its fourth child `audit~3`, or `_job` where the job itself acts. */
export const TaskId = z
  .string()
  .regex(new RegExp(`^(_job|${tokenPattern}(~\\d{1,9}){0,4})$`), 'a task id is a name and up to four ~<n>')
  .brand<'TaskId'>();
export type TaskId = z.infer<typeof TaskId>;

export const CommandId = z.string().regex(token, say('a command id')).brand<'CommandId'>();
export type CommandId = z.infer<typeof CommandId>;

/** The workers, or gateways, that take the same work. */
export const PoolName = z.string().regex(token, say('a pool')).brand<'PoolName'>();
export type PoolName = z.infer<typeof PoolName>;

/** What the broker knows a message by: 32 hex digits. */
export const WireId = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .brand<'WireId'>();
export type WireId = z.infer<typeof WireId>;

/** W3C trace id: 32 lower-case hex digits, not all zero. */
export const TraceId = z
  .string()
  .regex(/^(?!0{32})[0-9a-f]{32}$/)
  .brand<'TraceId'>();
export type TraceId = z.infer<typeof TraceId>;

/** SHA-256 as 64 hex digits: a fingerprint, or the name of a blob. */
export const Digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .brand<'Digest'>();
export type Digest = z.infer<typeof Digest>;

/** Milliseconds since 1970 UTC. */
export const Instant = z.int().nonnegative();
export type Instant = number;

/** A name of the catalogue: `files.list`, `licence.audit`. */
export const Name = z
  .string()
  .max(limits.nameLengthMax)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9][A-Za-z0-9_-]*)*$/,
    'a name is words of letters, digits, _ and -, joined by dots',
  );

/** The task as which a job itself acts. */
export const jobTask = TaskId.parse('_job');

/** `0` to `15`: any replica may read any shard. */
export const shardOf = (job: JobId): PoolName =>
  String(Number.parseInt(sha256Hex(job).slice(0, 1), 16)) as PoolName; // one hex digit in decimal is a token

export const childOf = (parent: TaskId, index: number): TaskId => `${parent}~${index}` as TaskId; // checked by TaskId's pattern at the wire

/** The id a blob's content gives it. */
export const digestOf = (bytes: Uint8Array): Digest => sha256Hex(bytes) as Digest; // 64 hex digits by construction

export const wireIdOf = (type: string, key: string, attempt: number, epoch: number): WireId =>
  sha256Hex(`${type}\n${key}\n${attempt}\n${epoch}`).slice(0, 32) as WireId; // 32 hex digits by construction

/** The trace id that follows from a text, by its digest. */
export const traceIdFrom = (text: string): TraceId => {
  const hex = sha256Hex(text).slice(0, 32);
  return TraceId.parse(/^0{32}$/.test(hex) ? `${hex.slice(0, 31)}1` : hex);
};
