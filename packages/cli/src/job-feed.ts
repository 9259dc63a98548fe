import { type Instant, invariant, type JobId, type TenantId } from '@foldmesh/envelope';
import { type JobEvent, type JobState, jobFold } from '@foldmesh/job';
import type { Ports } from '@foldmesh/ports';
import { eventsOf, readEntry } from '@foldmesh/runtime';

/** A job after one more entry of its journal. */
export interface Step {
  readonly state: JobState;
  readonly events: readonly JobEvent[];
  readonly at: Instant;
}

/** The job as its journal tells it, entry by entry, until it has ended or `signal` aborts. The state is the same object, changed. */
export async function* jobFeed(
  ports: Ports,
  tenant: TenantId,
  job: JobId,
  signal: AbortSignal,
): AsyncGenerator<Step> {
  let state = jobFold.initial();
  for await (const recorded of ports.journal.follow({ tenant, job }, 0, signal)) {
    if (recorded.entity.run !== undefined) continue;
    const entry = readEntry(recorded);
    const stored = await eventsOf(ports, recorded.entity, entry);
    invariant(stored.ok, 'M8: the events of an entry cannot be read');
    const events = stored.value.map(jobFold.read);
    for (const event of events) state = jobFold.evolve(state, event);
    yield { state, events, at: entry.at };
    if (state.ended_at !== undefined) return;
  }
}
