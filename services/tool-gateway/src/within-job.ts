import { type Envelope, type Instant, StoredDefect } from '@foldmesh/envelope';
import { jobFold, jobUntil } from '@foldmesh/job';
import type { Ports } from '@foldmesh/ports';
import { type Call, load } from '@foldmesh/runtime';

type Stores = Pick<Ports, 'journal' | 'blobs' | 'clock'>;

/** The same call, with no more time than its job has. */
export type WithinJob = (envelope: Envelope<'tool.call'>, call: Call) => Promise<Call>;

/** Jobs whose end is remembered. */
const jobsMax = 1_000;

/**
 * A run does not know when its job is over, for that moves while a person is waited for; so the job's state is looked at, as
 * it is before a model is asked (ADR 32). A skill's call needs no look: it has the deadline of its task.
 */
export const withinJob = (stores: Stores): WithinJob => {
  const ends = new Map<string, Instant>();
  const remember = (name: string, until: Instant): void => {
    ends.delete(name);
    ends.set(name, until);
    const [oldest] = ends.keys();
    if (ends.size > jobsMax && oldest !== undefined) ends.delete(oldest);
  };
  return async ({ reply_to }, call) => {
    const { tenant, job, deadline } = call;
    const name = `${tenant}/${job}`;
    // A job's end is only ever moved further away: what was within it once is so still.
    if (reply_to !== undefined || (ends.get(name) ?? 0) >= deadline) return call;
    const until = await endOf(stores, call);
    if (until === undefined) return call;
    remember(name, until);
    return { ...call, deadline: Math.min(deadline, until) };
  };
};

/** Undefined where nobody can say it now, or a newer manager has written it: then the halt of the job is what ends the call. */
const endOf = async (stores: Stores, { tenant, job }: Call): Promise<Instant | undefined> => {
  try {
    const loaded = await load(stores, jobFold, { tenant, job });
    return loaded.ok ? jobUntil(loaded.value.state) : undefined;
  } catch (error) {
    if (error instanceof StoredDefect) return undefined;
    throw error;
  }
};
