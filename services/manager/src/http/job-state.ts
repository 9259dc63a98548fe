import { JobId, ok, type Result } from '@foldmesh/envelope';
import { type JobState, jobFold } from '@foldmesh/job';
import type { Entity, Recorded } from '@foldmesh/ports';
import { type Loaded, load, loadOrLost } from '@foldmesh/runtime';
import type { Api, ApiCall } from './api-call.ts';
import { entriesFrom, eventsIn } from './job-entries.ts';
import { faultProblem, notFound } from './problem.ts';

/** A job that there is. */
export interface Known {
  readonly entity: Entity & { readonly job: JobId };
  readonly loaded: Loaded<JobState>;
}

/** The job that the path names, of this tenant, or the answer that there is none. */
export const knownJob = (call: ApiCall): Promise<Known | Response> => jobBy(call, load);

/** The same for a command that is also for a job whose journal can be read no further: its state is what can be read. */
export const knownOrLostJob = (call: ApiCall): Promise<Known | Response> => jobBy(call, loadOrLost);

const jobBy = async (call: ApiCall, read: typeof load): Promise<Known | Response> => {
  const job = JobId.safeParse(call.param('job')).data;
  if (job === undefined) return notFound(call, 'job');
  const entity = { tenant: call.tenant, job };
  const loaded = await read(call.ports, jobFold, entity);
  if (!loaded.ok) return faultProblem(call, loaded.fault, job);
  const { state, lost } = loaded.value;
  if (state.status === undefined && lost === undefined) return notFound(call, 'job');
  return { entity, loaded: loaded.value };
};

/** How long a command's entry is waited for, and how long yet once this process is about to end. Milliseconds. */
const entryMs = 5_000;
const drainingMs = 1_500;

/**
 * What `seen` says of the first state it has a word for: of the one there is, or of one that comes in time; undefined
 * when none came.
 */
export const stateWhen = async <T>(
  api: Api,
  entity: Entity,
  seen: (state: JobState) => T | undefined,
): Promise<Result<T | undefined>> => {
  const loaded = await loadOrLost(api.ports, jobFold, entity);
  if (!loaded.ok) return loaded;
  let { lost, state } = loaded.value;
  const now = lost === undefined ? seen(state) : undefined;
  if (now !== undefined) return ok(now);
  return inTime(api, async (signal) => {
    for await (const recorded of entriesFrom(api, entity, loaded.value.seq + 1, signal)) {
      const events = await eventsIn(api, recorded);
      if (!events.ok) return events;
      const [first] = events.value;
      if (first !== undefined && jobFold.isLoss(first)) lost = undefined;
      if (lost !== undefined) continue;
      for (const event of events.value) state = jobFold.evolve(state, event);
      const found = seen(state);
      if (found !== undefined) return ok(found);
    }
    return ok(undefined);
  });
};

/** The state after the first entry alone, if there is one: what it says of a job is the same for ever. */
export const acceptedState = async (api: Api, entity: Entity): Promise<Result<JobState | undefined>> => {
  const first = await api.ports.journal.read(entity, 0, 1);
  if (!first.ok) return first;
  const [recorded] = first.value;
  return recorded === undefined ? ok(undefined) : stateAfter(api, recorded);
};

/** The same where it is there, or comes in time; `over` ends the wait. */
export const acceptedInTime = (
  api: Api,
  entity: Entity,
  over: AbortSignal,
): Promise<Result<JobState | undefined>> =>
  inTime(
    api,
    async (signal) => {
      for await (const entry of entriesFrom(api, entity, 0, signal)) return stateAfter(api, entry);
      return ok(undefined);
    },
    over,
  );

const stateAfter = async (api: Api, recorded: Recorded): Promise<Result<JobState>> => {
  const events = await eventsIn(api, recorded);
  return events.ok ? ok(events.value.reduce(jobFold.evolve, jobFold.initial())) : events;
};

const inTime = async <T>(
  api: Api,
  work: (signal: AbortSignal) => Promise<T>,
  sooner?: AbortSignal,
): Promise<T> => {
  const { clock } = api.ports;
  const over = new AbortController();
  const end = (): void => over.abort();
  const drain = (): void => void clock.sleep(drainingMs, over.signal).then(end);
  api.draining.addEventListener('abort', drain, { once: true });
  // A signal that has aborted says so to nobody who comes later, and the usual wait would outlast the connection.
  if (api.draining.aborted) drain();
  sooner?.addEventListener('abort', end, { once: true });
  if (sooner?.aborted === true) end();
  const timer = clock.sleep(entryMs, over.signal).then(end);
  try {
    return await work(over.signal);
  } finally {
    end();
    api.draining.removeEventListener('abort', drain);
    sooner?.removeEventListener('abort', end);
    await timer;
  }
};
