import { Defect, type TaskId } from '@foldmesh/envelope';
import { type JobEvent, type JobRecord, type JobState, jobFold, recordOf } from '@foldmesh/job';
import type { Entity, Ports, Recorded } from '@foldmesh/ports';
import { type RunEvent, type RunState, runFold } from '@foldmesh/run';
import { eventsOf, type Fold, readEntry } from '@foldmesh/runtime';
import { entityOf } from './client.ts';
import type { SeenJob } from './observed.ts';
import { sameJson } from './same-json.ts';

/** An entity's journal, folded from its first entry. */
export interface Told<S, E> {
  readonly state: S;
  readonly events: readonly E[];
  readonly entries: number;
  readonly times: readonly number[];
  /** Where a prefix, folded anew or from what an entry carries, made another state (M8). */
  readonly strayed: readonly string[];
}

export interface ToldJob extends Told<JobState, JobEvent> {
  readonly name: string;
  readonly record: JobRecord;
  /** By the id of their task. */
  readonly runs: ReadonlyMap<string, Told<RunState, RunEvent>>;
  /** Entries of the job itself that whoever follows it is given. */
  readonly followed: number;
}

/** `seen` is what was folded of it step by step, while it happened: the same journal has to make the same state again. */
export const tellJob = async (ports: Ports, name: string, seen: SeenJob | undefined): Promise<ToldJob> => {
  const job = await tell(ports, jobFold, entityOf(name));
  const strayed = sameJson(seen?.state ?? jobFold.initial(), job.state)
    ? job.strayed
    : [...job.strayed, 'read from its beginning it makes another state than it made step by step'];
  const record = recordOf(job.state, ports.clock.now(), 'process');
  const runs = new Map<string, Told<RunState, RunEvent>>();
  for (const { id } of record.tasks) {
    const run = await tell(ports, runFold, { ...entityOf(name), run: { task: id as TaskId, round: 1 } }); // the record's ids are tasks'
    if (run.entries > 0) runs.set(id, run);
  }
  return { ...job, strayed, name, record, runs, followed: await followed(ports, name, job.entries) };
};

const tell = async <S, E>(ports: Ports, fold: Fold<S, E>, entity: Entity): Promise<Told<S, E>> => {
  // Once from the first entry, and once on from whatever the entry before carried.
  let [state, onward] = [fold.initial(), fold.initial()];
  const events: E[] = [];
  const times: number[] = [];
  const strayed: string[] = [];
  const entries = await journalOf(ports, entity);
  for (const recorded of entries) {
    const entry = readEntry(recorded);
    const stored = await eventsOf(ports, entity, entry);
    if (!stored.ok)
      throw new Error(`the events of entry ${recorded.seq} cannot be read: ${stored.fault.detail}`);
    try {
      for (const event of stored.value) {
        const read = fold.read(event);
        events.push(read);
        state = fold.evolve(state, read);
        onward = fold.evolve(onward, fold.read(event));
      }
    } catch (error) {
      if (!(error instanceof Defect)) throw error;
      strayed.push(`entry ${recorded.seq}: it does not follow from those before: ${error.message}`);
      break;
    }
    times.push(entry.at);
    if (!sameJson(onward, state)) strayed.push(`entry ${recorded.seq}: from what was carried, another state`);
    if (entry.state !== undefined) {
      if (!sameJson(entry.state, state)) strayed.push(`entry ${recorded.seq}: it carries another state`);
      onward = entry.state as S; // written by this fold
    }
  }
  return { state, events, entries: entries.length, times, strayed };
};

const pageEntries = 256;

const journalOf = async ({ journal }: Ports, entity: Entity): Promise<readonly Recorded[]> => {
  const all: Recorded[] = [];
  for (;;) {
    const page = await journal.read(entity, (all.at(-1)?.seq ?? 0) + 1, pageEntries);
    if (!page.ok) throw new Error(`a journal cannot be read: ${page.fault.detail}`);
    all.push(...page.value);
    if (page.value.length < pageEntries) return all;
  }
};

/** As the event stream reads it: up to so many entries of the job itself, or as many as there are. */
const followed = async ({ journal }: Ports, name: string, entries: number): Promise<number> => {
  const enough = new AbortController();
  let [count, last] = [0, 0];
  if (entries === 0) return 0;
  for await (const { entity, seq } of journal.follow(entityOf(name), 1, enough.signal)) {
    if (seq <= last) return -1;
    last = seq;
    if (entity.run === undefined) count += 1;
    if (count === entries) break;
  }
  return count;
};
