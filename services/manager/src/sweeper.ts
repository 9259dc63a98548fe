import {
  type Draft,
  type Instant,
  indexedAt,
  indexRoot,
  indexSubject,
  type JobId,
  type JsonObject,
  jobTask,
  keyOf,
  limits,
  ok,
  type Position,
  type Result,
  shardOf,
  type TenantId,
  type TraceId,
} from '@foldmesh/envelope';
import { type JobState, jobFold, nextOfJob } from '@foldmesh/job';
import { type Host, isGone, load, type Part, send } from '@foldmesh/runtime';
import {
  type IndexedJob,
  IndexedJob as IndexedJobSchema,
  type IndexedRun,
  IndexedRun as IndexedRunSchema,
  indexedJob,
} from './live-jobs.ts';

/** Timers and re-sends of live jobs. */
export interface Sweeper {
  readonly part: Part;
  /** Tells of a job's new state: its timer is set, and the index is written, so that the job outlives this process. */
  learn(host: Host, tenant: TenantId, job: JobId, state: JobState): Promise<Result<void>>;
}

interface Live extends IndexedJob {
  readonly tenant: TenantId;
  readonly job: JobId;
  /** A timer that was fired for this position is not fired again until a sweep. */
  fired: boolean;
}

/** How often live jobs are looked through, also those that other replicas have told the index of. */
const sweepMs = 5_000;

/**
 * Recovery is one rule: what has been outstanding longer than an epoch is sent again under its epoch. Timers are state:
 * every replica fires the same timer under the same wire id when it is due.
 */
export const sweeper = (): Sweeper => {
  const live = new Map<string, Live>();
  let sooner = new AbortController();
  /** Until when the loop sleeps; while it works it looks at everything anyway. */
  let wakesAt = Number.POSITIVE_INFINITY;
  let lastSweep = 0;

  const learnLive = (tenant: TenantId, job: JobId, indexed: IndexedJob): void => {
    const name = `${tenant}/${job}`;
    if (indexed.ended) {
      live.delete(name);
      return;
    }
    // The index may lag behind what this replica has decided itself.
    if ((live.get(name)?.position ?? 0) > indexed.position) return;
    live.set(name, { ...indexed, tenant, job, fired: false });
    if ((indexed.wake_at ?? wakesAt) < wakesAt) sooner.abort();
  };

  const learn: Sweeper['learn'] = (host, tenant, job, state) => {
    // A command for a job that was never submitted makes no job.
    if (state.status === undefined) return Promise.resolve(ok(undefined));
    const indexed = indexedJob(state);
    learnLive(tenant, job, indexed);
    return host.ports.index.put(indexSubject({ tenant, job }), indexed as JsonObject); // its optional fields are absent, never undefined
  };

  const fireDue = async (host: Host): Promise<void> => {
    const now = host.ports.clock.now();
    for (const job of live.values())
      if (!job.fired && job.wake_at !== undefined && job.wake_at <= now) {
        job.fired = true;
        await fire(host, job, job.wake_at, now);
      }
  };

  const sweep = async (host: Host): Promise<void> => {
    const now = host.ports.clock.now();
    const listed = await host.ports.index.list(indexRoot);
    if (!listed.ok) return host.ports.log('warn', 'the index cannot be read', { fault: listed.fault.detail });
    for (const { subject, value } of listed.value) {
      const of = indexedAt(subject);
      if (of?.run !== undefined) {
        const waiting = IndexedRunSchema.safeParse(value).data;
        if (waiting !== undefined) await fireRun(host, { ...of, ...of.run }, waiting, now);
      } else if (of !== undefined) {
        const indexed = IndexedJobSchema.safeParse(value).data;
        if (indexed !== undefined) learnLive(of.tenant, of.job, indexed);
      }
    }
    for (const job of live.values()) {
      if (job.asked_at === undefined || epochOf(now, job.asked_at) <= 0) continue;
      const state = await stateOf(host, job, job.asked_at, now);
      if (state === undefined) continue;
      // A slow replica's older word may have come after the last one, and nobody else will ever say that the job has ended.
      if (state.position !== job.position) await learn(host, job.tenant, job.job, state);
      await resend(host, job.job, state, lastSweep, now);
    }
    lastSweep = now;
  };

  const run = async (host: Host): Promise<void> => {
    const { clock } = host.ports;
    lastSweep = clock.now();
    let sweepAt = lastSweep + sweepMs;
    while (!host.intake.aborted) {
      sooner = new AbortController();
      wakesAt = Number.POSITIVE_INFINITY;
      await fireDue(host);
      if (clock.now() >= sweepAt) {
        await sweep(host);
        sweepAt = clock.now() + sweepMs;
      }
      const soonest = soonestOf(live.values(), sweepAt);
      if (!sooner.signal.aborted) wakesAt = soonest;
      await clock.sleep(Math.max(1, soonest - clock.now()), AbortSignal.any([host.intake, sooner.signal]));
    }
  };

  return {
    part: async (host) => {
      host.nursery.go(() => run(host));
      return ok(undefined);
    },
    learn,
  };
};

const soonestOf = (live: Iterable<Live>, atLatest: Instant): Instant => {
  let soonest = atLatest;
  for (const { wake_at, fired } of live) if (!fired) soonest = Math.min(soonest, wake_at ?? soonest);
  return soonest;
};

const epochOf = (now: Instant, asked_at: Instant): number =>
  Math.floor(Math.max(0, now - asked_at) / limits.epochMs);

const stampOf = (host: Host, trace_id: TraceId, since: Instant, epoch: number) => ({
  sender: host.party,
  at: host.ports.clock.now(),
  since,
  epoch,
  trace_id,
  traceparent: `00-${trace_id}-${host.ports.random.hex(8)}-01`,
});

const fire = async (
  host: Host,
  { tenant, job, position, trace_id }: Live,
  due: Instant,
  now: Instant,
): Promise<void> => {
  if (trace_id === undefined) return;
  const draft: Draft = {
    type: 'timer.fire',
    to: { service: 'manager', pool: shardOf(job) },
    key: keyOf({ tenant, job, task: jobTask, round: 1, step: String(position), call: 'wake' }),
    attempt: 1,
    payload: { due },
  };
  const sent = await send(host.ports, draft, stampOf(host, trace_id, due, epochOf(now, due)));
  if (!sent.ok) host.ports.log('warn', 'a timer was not sent', { job, fault: sent.fault.detail });
};

/** A run lives at its worker, and its timer here: seen by the sweep, so it may be late by as long as that takes to come round. */
const fireRun = async (
  host: Host,
  run: Pick<Position, 'tenant' | 'job' | 'task' | 'round'>,
  { ended, position, pool, trace_id, wake_at }: IndexedRun,
  now: Instant,
): Promise<void> => {
  if (ended || wake_at === undefined || wake_at > now) return;
  const draft: Draft = {
    type: 'timer.fire',
    to: { service: 'worker', pool },
    key: keyOf({ ...run, step: String(position), call: 'wake' }),
    attempt: 1,
    payload: { due: wake_at },
  };
  const sent = await send(host.ports, draft, stampOf(host, trace_id, wake_at, epochOf(now, wake_at)));
  if (!sent.ok) host.ports.log('warn', 'a timer was not sent', { job: run.job, fault: sent.fault.detail });
};

/** Only what has entered a new epoch since the last sweep: each epoch is sent once by each replica. */
const resend = async (
  host: Host,
  job: JobId,
  state: JobState,
  lastSweep: Instant,
  now: Instant,
): Promise<void> => {
  if (state.trace_id === undefined) return;
  for (const { draft, asked_at } of nextOfJob(state)) {
    const epoch = epochOf(now, asked_at);
    if (epoch === epochOf(lastSweep, asked_at)) continue;
    const sent = await send(host.ports, draft, stampOf(host, state.trace_id, asked_at, epoch));
    if (!sent.ok)
      host.ports.log('warn', 'a re-send failed', { job, key: draft.key, fault: sent.fault.detail });
  }
};

/**
 * One job whose journal cannot be read must not keep the others from being swept. Of one that is lost nothing may come any
 * more: it is woken, and ended by the turn that its manager takes.
 */
const stateOf = async (
  host: Host,
  live: Live,
  asked_at: Instant,
  now: Instant,
): Promise<JobState | undefined> => {
  const { tenant, job } = live;
  try {
    const loaded = await load(host.ports, jobFold, { tenant, job });
    if (loaded.ok) return loaded.value.state;
    host.ports.log('warn', 'a job cannot be read', { job, fault: loaded.fault.detail });
    if (isGone(loaded.fault)) await fire(host, live, asked_at, now);
  } catch (error) {
    host.ports.log('error', 'a job cannot be read', { job, error: String(error) });
  }
  return undefined;
};
