import type { Cause } from '@foldmesh/client';
import { Key, positionOf, shardOf } from '@foldmesh/envelope';
import { type JobState, taskIdOf } from '@foldmesh/job';
import type { DeadLetter } from '@foldmesh/ports';
import { filledMax } from '../admission.ts';
import type { Away, Look } from './look.ts';
import { type Queued, queueCause } from './queue-cause.ts';
import { examplesMax, type Seen, seen } from './seen.ts';
import { agoOf, countOf, inTimeOf, listOf, nearMs } from './spans.ts';

/** What keeps the whole job, or every job: stores that are away or full, its time, its manager. */
export const jobCauses = async (look: Look, state: JobState): Promise<readonly Seen[]> => [
  ...look.away.map((away) => seen(awayCause(look, away))),
  ...fullCause(look),
  ...stoppingCause(look, state),
  ...timeCause(look, state),
  ...(await managerCause(look, state)),
];

const lost = {
  inbox:
    'the dedup store is away: nothing is begun without a claim, so work is handed back until it is there',
  index: 'the index is away: nobody knows which pools there are, and timers may be late',
  bus: 'the bus is away: nothing can be sent',
  dead: 'the dead letters cannot be read: nobody knows what was set aside in the name of the job',
} as const;

const awayCause = ({ now }: Look, { store, fault }: Away): Cause => ({
  reason: 'storage',
  since: now,
  on: store,
  text: `${lost[store]} (${fault.detail})`,
  next: 'foldmesh doctor',
});

const fullCause = ({ now, filled }: Look): readonly Seen[] => {
  // Below that the door is open, and nothing waits for room.
  if (filled === undefined || filled.share < filledMax) return [];
  const { share, of } = filled;
  return [
    seen({
      reason: 'storage',
      since: now,
      on: of,
      text: `${of} is ${Math.round(share * 100)} % full, and work needs room in it: no new jobs come in, and at 100 % this one cannot go on either`,
      next: 'nats stream report; then raise FOLDMESH_NATS_JOURNAL_BYTES_MAX or FOLDMESH_NATS_WORK_BYTES_MAX',
    }),
  ];
};

const stoppingCause = ({ now }: Look, state: JobState): readonly Seen[] => {
  const { stopping, open } = state;
  if (stopping === undefined) return [];
  const silent = open.flatMap(({ tasks }) => tasks.map((ordinal) => taskIdOf(state, ordinal)));
  const [task] = silent;
  return [
    seen({
      ...(task !== undefined && { task }),
      reason: 'call',
      since: stopping.at,
      until: stopping.until,
      on: 'job',
      text: `the job is stopping (${stopping.reason}${stopping.detail === undefined ? '' : `: ${stopping.detail}`}): it waits for the last words of ${countOf(silent.length, 'task')}, and ends ${inTimeOf(now, stopping.until)} at the latest`,
      ...(silent.length > 1 && { count: silent.length, examples: silent.slice(0, examplesMax) }),
    }),
  ];
};

const timeCause = ({ now }: Look, state: JobState): readonly Seen[] => {
  const { asking_since, stopping, deadline, accepted_at, spec } = state;
  if (asking_since !== undefined || stopping !== undefined || deadline - now > nearMs) return [];
  return [
    seen({
      reason: 'timer',
      since: accepted_at,
      until: deadline,
      on: 'deadline',
      text: `the job's ${spec?.wall_ms} ms are over ${inTimeOf(now, deadline)}: then it stops, whatever is under way`,
      next: 'submit it with a larger budget.wall_ms',
    }),
  ];
};

/** Between two pulls nobody asks for a moment: only who is not seen the second time does not read. Milliseconds. */
const lookAgainMs = 500;

/** What was said to the job lies with its manager; that it lies there is worth a word only where it is not read. */
const managerCause = async (look: Look, { job }: JobState): Promise<readonly Seen[]> => {
  if (job === undefined) return [];
  const asked: Queued = {
    queue: { service: 'manager', pool: shardOf(job), lane: 'decide' },
    type: 'task.settle',
    what: 'what was answered to the job',
    since: look.now,
    needs: [],
  };
  let cause = await queueCause(look, asked);
  if (cause.reason === 'no_worker') {
    const { bus, clock } = look.ports;
    await clock.sleep(lookAgainMs);
    cause = await queueCause({ ...look, standing: (queue) => bus.standing(queue) }, asked);
  }
  return cause.reason === 'call' ? [] : [seen(cause)];
};

/** How the job ended, and by which task. */
export const endedCause = ({ now }: Look, state: JobState): Seen => {
  const { status, ended_at = now, end_reason = '', fault, stopping, receipt, accepted_at } = state;
  const task = stopping?.task === undefined ? undefined : taskIdOf(state, stopping.task);
  const why = fault === undefined ? (stopping?.detail ?? '') : `${fault.kind}: ${fault.detail}`;
  const silent = receipt?.silent ?? [];
  const reason = end_reason === status ? '' : ` (${end_reason})`;
  const sentences = [
    `the job ${status}${reason} ${agoOf(now, ended_at)}${why === '' ? '' : `: ${why}`}`,
    ...(silent.length > 0 ? [`nobody knows how these ended: ${listOf(silent)}`] : []),
  ];
  return seen({
    ...(task !== undefined && { task }),
    reason: 'ended',
    since: ended_at,
    on: task ?? end_reason,
    text: sentences.join('; '),
    ...(accepted_at === ended_at &&
      fault?.kind === 'invalid' && { next: 'mend the job and submit it again' }),
  });
};

/** What was set aside in the job's name: each stands for work that nobody will do any more. */
export const deadCauses = async (look: Look, state: JobState): Promise<readonly Seen[]> => {
  if (state.tenant === undefined || state.job === undefined) return [];
  const letters = await look.ports.dead.list(state.tenant, state.job);
  if (!letters.ok) return [seen(awayCause(look, { store: 'dead', fault: letters.fault }))];
  return letters.value.map(letterCause);
};

const letterCause = ({ id, key, headers, reason, strikes, last_at }: DeadLetter): Seen => {
  // It is kept as its sender wrote it, and may have no key that anybody can read.
  const position = Key.safeParse(key).data;
  const task = position === undefined ? undefined : positionOf(position).task;
  const tries = strikes > 0 ? ` after ${countOf(strikes, 'try', 'tries')} without a word` : '';
  return {
    like: `dead_letter ${reason}`,
    cause: {
      ...(task !== undefined && { task }),
      reason: 'dead_letter',
      since: last_at,
      on: id,
      text: `${headers['Mesh-Type'] ?? 'a message'} was set aside as a dead letter${tries}: ${reason}`,
    },
  };
};
