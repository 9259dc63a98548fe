import type { JobRecord } from '@foldmesh/job';
import { expect } from 'vitest';
import type { Intent } from './mixed-jobs.ts';
import type { EndedJob } from './mixed-load.ts';
import type { WitnessRow } from './real-mesh.ts';

/** What came of a load of jobs. */
export interface Reckoning {
  readonly jobs: number;
  readonly completed: number;
  /** Jobs that say openly that nobody knows how one of their effects ended. */
  readonly unknown: number;
  /** Jobs with a task that was hit so often that it is not tried any more; each of those is a dead letter. */
  readonly struck: number;
  readonly effects: number;
  readonly rows: number;
}

/** What may have come of a job besides its completion. */
export interface Allowed {
  /** It says that nobody knows the outcome of an unsafe effect. */
  readonly mayBeUnknown?: boolean;
  /** What is only idempotent has happened more than once, under one key. */
  readonly mayRepeat?: boolean;
  /** When processes were killed, milliseconds UTC: a task that was under way at four of them may have struck out. */
  readonly killedAt?: readonly number[];
}

const strikesMax = 4;

/**
 * Every job has ended with its result and each effect once, or as it is allowed to; then no effect of it has happened
 * twice. Nobody has done anything else (M1, M2).
 */
export const reckon = (
  ended: readonly EndedJob[],
  rows: readonly WitnessRow[],
  allowed: Allowed = {},
): Reckoning => {
  const rowsOf = Map.groupBy(rows, ({ effect }) => effect);
  const wrong: string[] = [];
  for (const { job, record } of ended) {
    const faults = faultsOf(job, record, rowsOf, allowed);
    const own = rows.filter(({ effect }) => effect.startsWith(`${job.name}/`));
    if (faults.length > 0)
      wrong.push(`${job.name}: ${faults.join('; ')}\n${JSON.stringify({ record, rows: own }, null, 1)}`);
  }
  const intended = new Set(ended.flatMap(({ job }) => job.intents.map(({ effect }) => effect)));
  for (const row of rows) if (!intended.has(row.effect)) wrong.push(`nobody meant ${JSON.stringify(row)}`);
  const keys = Map.groupBy(rows, ({ key }) => key);
  for (const [key, under] of keys)
    if (new Set(under.map(({ effect }) => effect)).size > 1)
      wrong.push(`one key, two effects: ${key} ${JSON.stringify(under)}`);
  expect(wrong.join('\n')).toBe('');
  const count = (is: (record: JobRecord) => boolean) => ended.filter(({ record }) => is(record)).length;
  return {
    jobs: ended.length,
    completed: count(({ status }) => status === 'completed'),
    unknown: count(saysUnknown),
    struck: count(saysStruck),
    effects: intended.size,
    rows: rows.length,
  };
};

const faultsOf = (
  { intents, result }: EndedJob['job'],
  record: JobRecord,
  rowsOf: ReadonlyMap<string, readonly WitnessRow[]>,
  { mayBeUnknown = false, mayRepeat = false, killedAt = [] }: Allowed,
): readonly string[] => {
  const faults: string[] = [];
  const completed = record.status === 'completed';
  const tasks = new Map(record.tasks.map((task) => [task.id, task]));
  if (completed && JSON.stringify(record.result) !== JSON.stringify(result))
    faults.push(`its result is ${JSON.stringify(record.result)} and not ${JSON.stringify(result)}`);
  const { created_at, ended_at = created_at } = record;
  const hits = killedAt.filter((at) => at >= created_at && at <= ended_at).length;
  const excused = (mayBeUnknown && saysUnknown(record)) || (hits >= strikesMax && saysStruck(record));
  if (!completed && !excused) faults.push(`it is ${record.status} (${record.end_reason})`);
  for (const [task, own] of Map.groupBy(intents, (intent) => intent.task)) {
    const whole = completed || tasks.get(task)?.status === 'completed';
    faults.push(...own.flatMap((intent) => countFaults(intent, rowsOf, whole, mayRepeat)));
    const done = own.map(({ effect }) => rowsOf.has(effect));
    // A skill goes on only from what it has an answer to.
    if (own[0]?.tool === 'unsafe' && done.lastIndexOf(true) > done.indexOf(false) && done.includes(false))
      faults.push(`${task} went on without an answer`);
  }
  return faults;
};

const countFaults = (
  { effect, tool }: Intent,
  rowsOf: ReadonlyMap<string, readonly WitnessRow[]>,
  whole: boolean,
  mayRepeat: boolean,
): readonly string[] => {
  const rows = rowsOf.get(effect) ?? [];
  const keys = new Set(rows.map(({ key }) => key));
  const most = mayRepeat && tool === 'idempotent' ? Number.POSITIVE_INFINITY : 1;
  return [
    ...(whole && rows.length === 0 ? [`${effect} did not happen`] : []),
    ...(rows.length > most ? [`${effect} happened ${rows.length} times`] : []),
    ...(keys.size > 1 ? [`${effect} has ${keys.size} keys`] : []),
  ];
};

/** It failed for this reason, and names the call. */
const saysUnknown = ({ status, end_reason, tasks }: JobRecord): boolean =>
  status === 'failed' &&
  end_reason === 'unknown' &&
  tasks.some((task) => task.status === 'unknown' && task.open?.call.includes('witness.unsafe'));

const saysStruck = ({ status, tasks }: JobRecord): boolean =>
  status === 'failed' && tasks.some(({ fault }) => fault?.source === 'strikes');
