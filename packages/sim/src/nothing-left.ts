import type { Evidence, Verdict } from './evidence.ts';
import { strangersJob } from './strangers.ts';
import type { ToldJob } from './told.ts';

/** M3: when all jobs are terminal nothing is pending: no message, no hold, no lease, and nobody who waits for a later instant. */
export const nothingLeft = ({ jobs, unacked, leases, unmarked, sleepers, deaths }: Evidence): Verdict => {
  if (jobs.some(({ told }) => told.state.ended_at === undefined)) return { looked: 0, wrong: [] };
  const wrong: string[] = [];
  for (const [name, left] of unacked)
    if (left > 0 && name !== strangersJob)
      wrong.push(`${name} has ended, and ${left} of its messages are left`);
  if (leases > 0) wrong.push(`all jobs have ended, and ${leases} claims are still leased`);
  for (const { told } of jobs)
    if (unmarked.includes(told.name) && wasStopped(told))
      wrong.push(`${told.name} was stopped, and the dedup store would still let its work begin`);
  // The sleepers of a life that ended in the midst of its work sleep for ever.
  if (deaths === 0 && sleepers > 0) wrong.push(`all services have stopped, and ${sleepers} timers are left`);
  return { looked: unacked.size, wrong };
};

/** Somebody had its work when it was told to stop, and had not said so when it ended: only the mark reaches them still. */
const wasStopped = ({ state }: ToldJob): boolean => (state.receipt?.silent.length ?? 0) > 0;
