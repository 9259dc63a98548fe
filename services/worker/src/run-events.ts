import { fail, ok, type Result } from '@foldmesh/envelope';
import type { Entity, Ports } from '@foldmesh/ports';
import { type RunEvent, readRunEvent } from '@foldmesh/run';
import { entityName, eventsOf, readEntry } from '@foldmesh/runtime';

const pageEntries = 256;

/** What has been read of runs, by their names. A journal only grows, so what was read once is never read again. */
export type ReadRuns = Map<string, ReadRun>;
interface ReadRun {
  readonly events: RunEvent[];
  /** Sequence to read on from. */
  from: number;
}

/** Runs whose history is kept; those longest not asked for go first. */
const keptRunsMax = 64;

/**
 * A run's events before the one with ordinal `until`, oldest first. Asked only for a model: deciders do without history.
 * A page may hold fewer than were asked for, so only an empty one is the end.
 */
export const runEvents = async (
  ports: Pick<Ports, 'journal' | 'blobs' | 'clock'>,
  entity: Entity,
  until: number,
  kept: ReadRuns = new Map(),
): Promise<Result<readonly RunEvent[]>> => {
  const run = take(kept, entityName(entity));
  while (run.events.length < until) {
    const page = await ports.journal.read(entity, run.from, pageEntries);
    if (!page.ok) return fail(page.fault);
    if (page.value.length === 0) break;
    for (const recorded of page.value) {
      // Another call for the same run may have come this far meanwhile.
      if (recorded.seq < run.from) continue;
      const stored = await eventsOf(ports, entity, readEntry(recorded));
      if (!stored.ok) return fail(stored.fault);
      if (recorded.seq < run.from) continue;
      run.events.push(...stored.value.map(readRunEvent));
      run.from = recorded.seq + 1;
    }
  }
  return ok(run.events.slice(0, until));
};

const take = (kept: ReadRuns, name: string): ReadRun => {
  const run = kept.get(name) ?? { events: [], from: 1 };
  kept.delete(name);
  kept.set(name, run);
  const [oldest] = kept.keys();
  if (kept.size > keptRunsMax && oldest !== undefined) kept.delete(oldest);
  return run;
};
