import type { JobEvent } from '@foldmesh/job';
import { z } from '@foldmesh/sdk';
import type { Evidence, Verdict } from './evidence.ts';
import type { ToldJob } from './told.ts';

const endings: Readonly<Partial<Record<JobEvent['kind'], string>>> = {
  'job-completed': 'completed',
  'job-failed': 'failed',
  'job-cancelled': 'cancelled',
  'job-refused': 'failed',
};

/** M1: every accepted job has exactly one terminal state, and its journal, its record, the index and the event stream agree on it. */
export const oneEnding = ({ jobs, healthyMs }: Evidence): Verdict => ({
  looked: jobs.length,
  wrong: jobs.flatMap(({ told, indexed }) => [
    ...endingsOf(told, healthyMs),
    ...timesOf(told),
    ...disagreements(told, indexed),
    ...(told.followed === told.entries
      ? []
      : [`${told.name} has ${told.entries} entries, and its event stream shows ${told.followed}`]),
  ]),
});

const endingsOf = ({ name, events, record }: ToldJob, healthyMs: number): readonly string[] => {
  const at = events.flatMap(({ kind }, index) => (endings[kind] === undefined ? [] : [index]));
  const [first] = at;
  if (first === undefined) {
    const waits = record.tasks.flatMap(({ id, status, wait }) =>
      wait === undefined ? [] : [`${id} is ${status} and waits: ${wait.reason} ${wait.on ?? ''}`],
    );
    return [
      `${name} has not ended in ${healthyMs / 1000} s without a fault; it is ${record.status}. ${waits.join('; ')}`,
    ];
  }
  if (at.length > 1) return [`${name} has ended ${at.length} times`];
  return first === events.length - 1
    ? []
    : [
        `${name}: after ${events[first]?.kind} came ${events
          .slice(first + 1)
          .map(({ kind }) => kind)
          .join(', ')}`,
      ];
};

const timesOf = ({ name, times }: ToldJob): readonly string[] =>
  times.every((at, index) => at >= (times[index - 1] ?? 0)) ? [] : [`${name}: time went back in its journal`];

const Indexed = z.object({ status: z.string(), ended: z.boolean() });

const disagreements = ({ name, events, record }: ToldJob, indexed: unknown): readonly string[] => {
  const last = events.at(-1);
  const status = last === undefined ? undefined : endings[last.kind];
  if (status === undefined) return [];
  const listed = Indexed.safeParse(indexed).data;
  return [
    ...(record.status === status ? [] : [`${name}: journal ${status}, record ${record.status}`]),
    ...(listed?.status === status && listed.ended
      ? []
      : [`${name}: journal ${status}, index ${JSON.stringify(indexed)}`]),
  ];
};
