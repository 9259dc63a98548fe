import { kindOf, type Lane, type Type } from './catalogue.ts';
import { type JobId, shardOf, type TenantId } from './ids.ts';
import { type Key, positionOf } from './key.ts';
import type { Address, Queue } from './party.ts';

const root = 'mesh.v1';

/** Where an envelope lies while it is work. Ends in the attempt, never in the epoch: a re-send meets its original. */
export const workSubject = (
  type: Type,
  to: Address,
  key: Key,
  attempt: number,
  lane: Lane = kindOf(type).lane,
): string => {
  const { tenant, job, task, round, step, call } = positionOf(key);
  if (lane === 'submit') return `${root}.${tenant}.submit.${shardOf(job)}.${job}`;
  const position = `${type.replace('.', '-')}.${task}.${round}.${step}.${call}.${attempt}`;
  return `${root}.${tenant}.work.${to.service}.${to.pool}.${lane}.${job}.${position}`;
};

/** The queue and the job that a work subject names, or undefined for any other subject. */
export const queueOf = (
  subject: string,
): (Queue & { readonly tenant: string; readonly job: string }) | undefined => {
  const submit = /^mesh\.v1\.([^.]+)\.submit\.([^.]+)\.([^.]+)$/.exec(subject);
  if (submit) {
    const [, tenant, pool, job] = submit as unknown as [string, string, string, string]; // three groups matched
    return { service: 'manager', pool: pool as Queue['pool'], lane: 'submit', tenant, job };
  }
  const work = /^mesh\.v1\.([^.]+)\.work\.([^.]+)\.([^.]+)\.(decide|call)\.([^.]+)\./.exec(subject);
  if (!work) return undefined;
  const [, tenant, service, pool, lane, job] = work as unknown as string[]; // five groups matched
  return { service, pool, lane, tenant, job } as Queue & { tenant: string; job: string }; // as the publisher wrote them
};

/** All that one queue holds, of every tenant and job. */
export const consumedBy = ({ service, pool, lane }: Queue): string =>
  lane === 'submit' ? `${root}.*.submit.${pool}.*` : `${root}.*.work.${service}.${pool}.${lane}.>`;

/** The cancels of all jobs. */
export const cancelPattern = `${root}.control.cancel.>`;

/** Tells every holder of a job's work, at once and without promise, that it is cancelled. */
export const cancelSubject = (tenant: TenantId, job: JobId): string =>
  `${root}.control.cancel.${tenant}.${job}`;

/** On which a manager says to the others that it is there. */
export const managerSubject = (replica: string): string => `${root}.control.manager.${replica}`;

/** The words of all managers. */
export const managerPattern = `${root}.control.manager.*`;

/** Live news of a job: may be lost, nothing depends on it. */
export const liveSubject = (tenant: TenantId, job: JobId): string => `${root}.${tenant}.live.${job}`;

/** A core subject on which one caller waits for its answers. */
export const replySubject = (caller: string): string => `${root}.reply.${caller}`;
