import { type Instant, ok, type Result } from '@foldmesh/envelope';
import { type JobEvent, jobFold } from '@foldmesh/job';
import type { Entity, Ports, Recorded } from '@foldmesh/ports';
import { eventsOf, readEntry } from '@foldmesh/runtime';

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

export const saidIn = async ({ ports }: Stores, recorded: Recorded): Promise<Result<SaidEvents>> => {
  const entry = readEntry(recorded);
  const stored = await eventsOf(ports, recorded.entity, entry);
  return stored.ok ? ok({ at: entry.at, events: stored.value.map(jobFold.read) }) : stored;
};

export const eventsIn = async (stores: Stores, recorded: Recorded): Promise<Result<readonly JobEvent[]>> => {
  const said = await saidIn(stores, recorded);
  return said.ok ? ok(said.value.events) : said;
};
