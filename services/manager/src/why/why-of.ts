import type { Cause, Why } from '@foldmesh/client';
import { type Fault, type JobId, ok, type Result, StoredDefect } from '@foldmesh/envelope';
import { type JobState, JobStatus, jobFold, nextOfJob, statusOf, taskIdOf, waitRoots } from '@foldmesh/job';
import type { Effect } from '@foldmesh/ports';
import { isGone, load } from '@foldmesh/runtime';
import { indexedJobOf } from '../live-jobs.ts';
import { inFlightCause } from './in-flight.ts';
import { deadCauses, endedCause, jobCauses } from './job-causes.ts';
import { type Look, lookAround, type WhyApi } from './look.ts';
import { runCauses } from './run-causes.ts';
import { gathered, type Seen, seen } from './seen.ts';
import { behindCause, taskCauses } from './task-causes.ts';

/**
 * Why a job does not go on, from its journal and from what the mesh knows at this moment; or why it ended (M10).
 * Undefined where there is no such job. A fault where the journal does not answer: then nothing is known of any job.
 */
export const whyOf = async (api: WhyApi, job: JobId): Promise<Result<Why | undefined>> => {
  const read = await readJob(api, job);
  if (read.kind === 'fault') return { ok: false, fault: read.fault };
  if (read.kind === 'absent') return ok(undefined);
  const at = api.ports.clock.now();
  if (read.kind === 'unreadable' || read.kind === 'lost') {
    const indexed = await indexedJobOf(api.ports, { tenant: api.tenant, job });
    const status = JobStatus.safeParse(indexed?.status).data ?? 'unreadable';
    const cause = read.kind === 'lost' ? lostCause(at, read.why) : unreadable(at, read.why);
    return ok({ job, status, at, causes: [cause], left_out: 0 });
  }
  const look = await lookAround(api);
  const { state } = read;
  const dead = await deadCauses(look, state);
  const all = state.ended_at === undefined ? await liveCauses(look, state) : [endedCause(look, state)];
  return ok({ job, status: statusOf(state), at, ...gathered([...all, ...dead]) });
};

type Read =
  | { readonly kind: 'state'; readonly state: JobState }
  | { readonly kind: 'absent' }
  | { readonly kind: 'fault'; readonly fault: Fault }
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'lost'; readonly why: string };

/** A journal that a newer manager has written is no defect of this one: it says so. */
const readJob = async ({ ports, tenant }: WhyApi, job: JobId): Promise<Read> => {
  try {
    const loaded = await load(ports, jobFold, { tenant, job });
    if (!loaded.ok)
      return isGone(loaded.fault)
        ? { kind: 'lost', why: loaded.fault.detail }
        : { kind: 'fault', fault: loaded.fault };
    const { state } = loaded.value;
    return state.status === undefined ? { kind: 'absent' } : { kind: 'state', state };
  } catch (error) {
    if (error instanceof StoredDefect) return { kind: 'unreadable', why: error.message };
    throw error;
  }
};

const unreadable = (at: number, why: string): Cause => ({
  reason: 'build',
  since: at,
  on: 'manager',
  text: `this manager cannot read the job's journal, which a newer one has written (${why}): only a newer one can take the job on, and say what it waits for`,
  next: 'finish the rollout of the managers; ask one of the newer build meanwhile',
});

const lostCause = (at: number, why: string): Cause => ({
  reason: 'storage',
  since: at,
  on: 'blobs',
  text: `the job's journal can be read no further (${why}): the job stops with this reason as soon as anything is said to it, when its time has come, or when the sweep finds it`,
  next: 'foldmesh cancel, which ends it now; nats stream info MESH_BLOBS tells what was deleted there',
});

const liveCauses = async (look: Look, state: JobState): Promise<readonly Seen[]> => {
  const whole = await jobCauses(look, state);
  // Once it stops nothing is waited for but last words.
  if (state.stopping !== undefined) return whole;
  const own = taskCauses(look, state);
  const out = (
    await Promise.all([...nextOfJob(state)].map((effect) => outCauses(look, state, effect)))
  ).flat();
  return [...whole, ...own, ...out, ...behindCauses(state, [...out, ...own])];
};

/** What was given out, by whoever knows most of it: an agent's run by its own journal. */
const outCauses = async (look: Look, state: JobState, effect: Effect): Promise<readonly Seen[]> => {
  const { draft } = effect;
  if (draft.type !== 'task.assign' || draft.lane !== 'decide') {
    const cause = await inFlightCause(look, effect);
    // A person's answer counts as in flight until its task has ended: it is a cause only where it is stuck.
    return draft.type === 'run.answer' && cause.reason === 'call' ? [] : [seen(cause)];
  }
  return runCauses(look, effect, new Set(state.asks.map(({ key }) => key)));
};

/** Tasks behind others: those that wait for the same in the end are one cause, told of the first of them. */
const behindCauses = (state: JobState, causes: readonly Seen[]): readonly Seen[] => {
  const byTask = new Map(causes.map((cause) => [cause.cause.task, cause]));
  const causeOf = (root: number): Seen | undefined => {
    // Of those that were given out together only the one that is under way has a cause of its own.
    const mates = state.open.find(({ tasks }) => tasks.includes(root))?.tasks ?? [];
    const ids = [root, ...mates].map((ordinal) => taskIdOf(state, ordinal));
    return ids.map((id) => byTask.get(id)).find((cause) => cause !== undefined);
  };
  const groups = new Map<string, { readonly root: Seen | undefined; readonly behind: number[] }>();
  const like = new Map<number, { readonly behind: number[] }>();
  const roots = waitRoots(state);
  for (const [ordinal, root] of roots) {
    const known = like.get(root);
    if (known !== undefined) known.behind.push(ordinal);
    else {
      const cause = causeOf(root);
      const name = cause?.like ?? String(root);
      const group = groups.get(name) ?? { root: cause, behind: [] };
      group.behind.push(ordinal);
      groups.set(name, group);
      like.set(root, group);
    }
  }
  return [...groups.values()].map(({ root, behind }) => behindCause(state, behind, root));
};
