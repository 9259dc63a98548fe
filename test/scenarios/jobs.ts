import {
  type CommandId,
  canonicalJson,
  type Draft,
  type Json,
  jobTask,
  keyOf,
  shardOf,
  type WireId,
} from '@foldmesh/envelope';
import { type JobEvent, type JobState, jobFold } from '@foldmesh/job';
import type { Entity } from '@foldmesh/ports';
import { eventsOf, isGone, readEntry, send } from '@foldmesh/runtime';
import type { Mesh } from './mesh.ts';

/** A job as its journal tells it. */
export interface Told {
  readonly state: JobState;
  readonly events: readonly JobEvent[];
  readonly entries: readonly ToldEntry[];
  /** Sequences of entries that carry another state than their events make (M8). */
  readonly strayed: readonly number[];
}

interface ToldEntry {
  readonly seq: number;
  readonly at: number;
  readonly causes: readonly WireId[];
  readonly first: number;
}

type Command =
  | { readonly type: 'job.submit'; readonly payload: { readonly spec: Json } }
  | { readonly type: 'job.cancel'; readonly payload: { readonly reason: string } };

/** Sends a command as the API does: until it is stored, under one wire id. */
export const command = async (mesh: Mesh, job: string, what: Command, id: string): Promise<void> => {
  const at = mesh.clock.now();
  const draft: Draft = {
    ...what,
    to: { service: 'manager', pool: shardOf(mesh.jobId(job)) },
    key: keyOf({
      tenant: mesh.tenant,
      job: mesh.jobId(job),
      task: jobTask,
      round: 1,
      step: '0',
      call: id as CommandId, // a word of the scenario
    }),
    attempt: 1,
  };
  const trace_id = mesh.traceOf(job);
  const stamp = { sender: 'manager' as const, at, since: at, epoch: 0, trace_id };
  for (;;) {
    const sent = await send(mesh.ports, draft, stamp);
    if (sent.ok) return;
    if (sent.fault.retry_after_ms === undefined) throw new Error(`${what.type}: ${sent.fault.detail}`);
    await mesh.clock.sleep(sent.fault.retry_after_ms);
  }
};

const entityOf = (mesh: Mesh, job: string): Entity => ({ tenant: mesh.tenant, job: mesh.jobId(job) });

/** Resolves when the job has ended, or when `signal` aborts. */
export const ended = async (mesh: Mesh, job: string, signal: AbortSignal): Promise<void> => {
  for await (const { events } of entriesOf(mesh, job, signal))
    if (events.some(({ kind }) => endings.includes(kind))) return;
};

export const endings: readonly JobEvent['kind'][] = [
  'job-completed',
  'job-failed',
  'job-cancelled',
  'job-refused',
];

/** The whole journal of a job, folded from its first entry. */
export const tell = async (mesh: Mesh, job: string): Promise<Told> => {
  let state = jobFold.initial();
  const events: JobEvent[] = [];
  const entries: ToldEntry[] = [];
  const strayed: number[] = [];
  const last = await mesh.ports.journal.last(entityOf(mesh, job));
  const enough = new AbortController();
  const to = last.ok ? (last.value?.seq ?? 0) : 0;
  if (to === 0) return { state, events, entries, strayed };
  for await (const entry of entriesOf(mesh, job, enough.signal)) {
    for (const event of entry.events) {
      events.push(event);
      state = jobFold.evolve(state, event);
    }
    entries.push(entry);
    const { carried } = entry;
    if (carried !== undefined && canonicalJson(carried) !== canonicalJson(state)) strayed.push(entry.seq);
    if (entry.seq === to) break;
  }
  return { state, events, entries, strayed };
};

async function* entriesOf(mesh: Mesh, job: string, signal: AbortSignal) {
  const entity = entityOf(mesh, job);
  for await (const recorded of mesh.ports.journal.follow(entity, 1, signal)) {
    // Its runs' entries come with its own.
    if (recorded.entity.run !== undefined) continue;
    const entry = readEntry(recorded);
    const stored = await eventsOf(mesh.ports, entity, entry);
    if (!stored.ok && !isGone(stored.fault))
      throw new Error(`the events of an entry cannot be read: ${stored.fault.detail}`);
    const { at, causes, first, state } = entry;
    // What is gone stands in an event of its own, later.
    const said = stored.ok ? stored.value : [];
    yield { seq: recorded.seq, at, causes, first, carried: state, events: said.map(jobFold.read) };
  }
}
