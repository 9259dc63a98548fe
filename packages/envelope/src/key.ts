import { z } from 'zod';
import { type JobId, type TaskId, type TenantId, tokenPattern } from './ids.ts';

/**
 * Where in the world an intended piece of work stands. `step` is the ordinal of the asking event in its entity's
 * journal, or a skill's call number (`2-0-1` inside a branch); `call` is the index in that step, or the id of a
 * command that came from outside.
 */
export interface Position {
  readonly tenant: TenantId;
  readonly job: JobId;
  readonly task: TaskId;
  readonly round: number;
  readonly step: string;
  readonly call: string;
}

const id = tokenPattern;
const task = `(?:_job|${id}(?:~\\d{1,9}){0,4})`;
const pattern = new RegExp(`^${id}/${id}/${task}/[1-9]\\d{0,8}/\\d{1,15}(?:-\\d{1,9}){0,8}/${id}$`);

/** `<tenant>/<job>/<task>/<round>/<step>/<call>`: the identity of intended work (ADR 1). */
export const Key = z
  .string()
  .max(512)
  .regex(pattern, 'a key is <tenant>/<job>/<task>/<round>/<step>/<call>')
  .brand<'Key'>();
export type Key = z.infer<typeof Key>;

export const keyOf = (at: Position): Key =>
  `${at.tenant}/${at.job}/${at.task}/${at.round}/${at.step}/${at.call}` as Key; // made of branded parts

/** Total on a `Key`: its pattern has made sure of the six parts. */
export const positionOf = (key: Key): Position => {
  const [tenant, job, task, round, step, call] = key.split('/') as [
    TenantId,
    JobId,
    TaskId,
    string,
    string,
    string,
  ]; // by Key's pattern
  return { tenant, job, task, round: Number(round), step, call };
};
