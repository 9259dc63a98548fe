import { styleText } from 'node:util';
import type { TaskRecord, TaskStatus } from '@foldmesh/job';
import { printable } from '../printable.ts';
import type { Row } from './task-rows.ts';

const marks: Readonly<Record<TaskStatus, string>> = {
  pending: '·',
  ready: '·',
  running: '▸',
  waiting: '…',
  completed: '✓',
  failed: '✗',
  skipped: '–',
  cancelled: '×',
  unknown: '?',
};

/** The one sign that a status has in every list. */
export const statusMark = (status: TaskStatus): string => marks[status];

const colours: Readonly<Record<TaskStatus, Parameters<typeof styleText>[0]>> = {
  pending: 'gray',
  ready: 'gray',
  running: 'cyan',
  waiting: 'yellow',
  completed: 'green',
  failed: 'red',
  skipped: 'gray',
  cancelled: 'red',
  unknown: 'magenta',
};

const idWidth = 16;

/** A row as it is printed; `at` is the time by which waits are told. */
export const rowText = (row: Row, at: number): string => {
  const parts = [...row.counts]
    .filter(([status]) => status !== 'pending' && status !== 'ready')
    .map(([status, count]) => (row.total === 1 ? status : `${count} ${status}`));
  const progress = row.total === 1 ? '' : `${row.done}/${row.total} `;
  const waits = row.wait === undefined || !isHeldUp(row, row.wait) ? '' : `  ${waitText(row.wait, at)}`;
  return `${marks[row.status]} ${row.id.padEnd(idWidth)} ${progress}${parts.join(', ')}  ${row.what}${waits}`;
};

/** While some of it is under way only what a person has to do is worth a word. */
const isHeldUp = ({ status }: Row, { reason }: Wait): boolean =>
  reason === 'answer' || status === 'pending' || status === 'ready' || status === 'waiting';

interface Drawn {
  readonly columns: number;
  readonly hasColours: boolean;
}

/** The same, indented by its place in the graph and cut to a width, its mark in colour where there are colours. */
export const graphLine = (row: Row, depth: number, at: number, screen: Drawn): string => {
  const text = `${'  '.repeat(depth)}${rowText(row, at)}`.slice(0, screen.columns);
  if (!screen.hasColours) return text;
  const mark = marks[row.status];
  return text.replace(mark, styleText(colours[row.status], mark, { validateStream: false }));
};

type Wait = NonNullable<TaskRecord['wait']>;

/** What each reason is in words; what it is on follows. */
const reasons = new Map<string, string>(
  Object.entries({
    call: 'under way',
    no_worker: 'no worker is there for',
    no_slot: 'waits for a free slot',
    concurrency: 'waits for its turn in',
    tenant_share: 'waits for its share of the workers',
    provider_quota: 'waits for the quota of its provider',
    budget: 'waits for budget',
    breaker: 'waits until a breaker closes:',
    retry: 'waits for its next attempt',
    dependency: 'after',
    approval: 'waits for an approval',
    answer: 'waits for an answer to',
    event: 'waits for an event',
    timer: 'waits for its time',
    paused: 'paused',
    build: 'waits for a worker of its build',
    storage: 'waits for storage',
  } satisfies Record<Wait['reason'], string>),
);

/** Why something does not go on, in words; a reason of a newer mesh is told as it is. Times are milliseconds UTC. */
export const waitText = (
  { reason, until, on }: Omit<Wait, 'reason'> & { readonly reason: string },
  at: number,
): string =>
  [
    reasons.get(reason) ?? `waits (${printable(reason)})`,
    ...(on === undefined ? [] : [` ${printable(on)}`]),
    ...(until === undefined || until <= at ? [] : [`, ${durationText(until - at)} more`]),
  ].join('');

/** What a job has used: only what is not nothing is named. */
export const usageText = (usage: Readonly<Record<string, unknown>>): string =>
  Object.entries(usage)
    .flatMap(([name, amount]) => {
      if (typeof amount !== 'number' || amount === 0) return [];
      return [name === 'cost_usd' ? `$${amount.toFixed(4)}` : `${amount} ${name.replaceAll('_', ' ')}`];
    })
    .join(', ');

/** `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export const durationText = (ms: number): string => {
  const s = Math.max(0, ms) / 1000;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 60) return `${Math.round(s)} s`;
  const whole = Math.round(s);
  if (s < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
};
