import { type Instant, ok, type Result } from '@foldmesh/envelope';
import { type JobEvent, jobFold } from '@foldmesh/job';
import type { Entity, Ports, Recorded } from '@foldmesh/ports';
import { eventsOf, isGone, readEntry } from '@foldmesh/runtime';

interface Stores {
  readonly ports: Ports;
}

/** A job's own entries as they come; those of its runs are not told. */
export async function* entriesFrom(
  { ports }: Stores,
  entity: Entity,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<Recorded> {
  for await (const recorded of ports.journal.follow(entity, from, signal))
    if (recorded.entity.run === undefined) yield recorded;
}

/** What an entry says, and when it was written. */
export interface SaidEvents {
  readonly at: Instant;
  readonly events: readonly JobEvent[];
}

/** What is gone is passed over: the event that the job ends with for it says so. */
export const saidIn = async (stores: Stores, recorded: Recorded): Promise<Result<SaidEvents>> => {
  const events = await eventsIn(stores, recorded);
  if (!events.ok && !isGone(events.fault)) return events;
  return ok({ at: readEntry(recorded).at, events: events.ok ? events.value : [] });
};

export const eventsIn = async (
  { ports }: Stores,
  recorded: Recorded,
): Promise<Result<readonly JobEvent[]>> => {
  const stored = await eventsOf(ports, recorded.entity, readEntry(recorded));
  return stored.ok ? ok(stored.value.map(jobFold.read)) : stored;
};
