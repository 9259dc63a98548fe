import { encodeJson, JobId, TenantId } from '@foldmesh/envelope';
import { openJetStream } from '@foldmesh/jetstream';
import { type JobEvent, type JobState, jobFold } from '@foldmesh/job';
import { type Loaded, load } from '@foldmesh/runtime';
import { writeEntry } from '@foldmesh/runtime/internal';
import { systemClock } from '@foldmesh/system';

/** What one tries to say of a task that fails again and again: as much as a fault may. */
const detail = 'x'.repeat(4_000);
/** So many tries stand in one entry: what is larger than 64 KiB lies elsewhere. */
const triesPerEntry = 14;

/**
 * Writes so many bytes of events into a job's journal, as a manager would whose first task fails and is tried again all
 * the time. Calls `told` with the sequence of each entry that is stored.
 */
export const floodJournal = async (
  url: string,
  of: { readonly tenant: string; readonly job: string; readonly bytes: number },
  told: (seq: number) => void,
): Promise<void> => {
  const opened = await openJetStream(
    { url, name: 'flood', clock: systemClock, log: () => undefined },
    AbortSignal.timeout(10_000),
  );
  if (!opened.ok) throw new Error(opened.fault.detail);
  await using stores = opened.value;
  const entity = { tenant: TenantId.parse(of.tenant), job: JobId.parse(of.job) };
  const loaded = await load({ ...stores, clock: systemClock }, jobFold, entity);
  if (!loaded.ok) throw new Error(loaded.fault.detail);
  let before: Loaded<JobState> = loaded.value;
  for (let written = 0; written < of.bytes; ) {
    const at = systemClock.now();
    const events = Array.from({ length: triesPerEntry }, () => anotherTry(at)).flat();
    const state = events.reduce(jobFold.evolve, before.state);
    const entry = await writeEntry(stores, {
      entity,
      before,
      state,
      fold: jobFold.fold,
      events,
      causes: [],
      at,
      mark: undefined,
    });
    if (!entry.ok) throw new Error(entry.fault.detail);
    const stored = await stores.journal.append(entry.value.append);
    if (!stored.ok || stored.value.kind !== 'stored') throw new Error(JSON.stringify(stored));
    before = entry.value.after(stored.value.seq);
    written += encodeJson(events).length;
    told(stored.value.seq);
  }
};

/** `free`: it does not count against the job's limit of attempts. */
const anotherTry = (at: number): readonly JobEvent[] => [
  {
    kind: 'task-failed',
    v: 1,
    task: 0,
    attempt: 1,
    worker: 'flood',
    started_at: at,
    ended_at: at,
    fault: { kind: 'unavailable', detail, retry_after_ms: 0 },
    route: 'retry',
    due: at,
    free: true,
  },
  { kind: 'tasks-retried', v: 1, tasks: [0] },
  { kind: 'tasks-assigned', v: 1, assignments: [[0]], at },
];
