import { fail, ok, type Result } from '@foldmesh/envelope';
import type { JobEvent, JobRecord } from '@foldmesh/job';
import type { Entity } from '@foldmesh/ports';
import { readEntry } from '@foldmesh/runtime';
import type { Api } from './api-call.ts';
import { fullRecord } from './get-job.ts';
import { entriesFrom, eventsIn, type Known } from './job-state.ts';

/** Where a reader begins. */
export interface Start {
  /** Sequence of the first entry it may read from, and how many of that entry's events it has had. */
  readonly from: number;
  readonly had: number;
  /** What it is told first when its own position cannot be served. */
  readonly snapshot?: JobRecord;
  /** It gets the terminal event alone: the snapshot has the rest. */
  readonly endOnly?: true;
}

/** How long a client should wait before it comes back, wherever the stream breaks off. Milliseconds. */
const retryMs = 1_000;

const ends: readonly JobEvent['kind'][] = ['job-completed', 'job-failed', 'job-cancelled', 'job-refused'];

/**
 * Where a reader with this `Last-Event-ID` goes on: after that event, if it is one of this job; `over` after the terminal
 * one; any other position is answered with a snapshot. Never from "now", and never from another job's position.
 */
export const startOf = async (
  api: Api,
  known: Known,
  lastEventId: string | null,
): Promise<Result<Start | 'over'>> => {
  if (lastEventId === null || lastEventId.trim() === '') return ok({ from: 0, had: 0 });
  const [, seq, index] = /^(\d{1,15})\.(\d{1,9})$/.exec(lastEventId.trim()) ?? [];
  if (seq === undefined || index === undefined) return resetOf(api, known);
  const recorded = await api.ports.journal.at(known.entity, Number(seq));
  if (!recorded.ok) return recorded;
  if (recorded.value === undefined) return resetOf(api, known);
  const events = await eventsIn(api, recorded.value);
  if (!events.ok) return events;
  const event = events.value[Number(index)];
  if (event === undefined) return resetOf(api, known);
  return ok(ends.includes(event.kind) ? 'over' : { from: Number(seq), had: Number(index) + 1 });
};

const resetOf = async (api: Api, { loaded }: Known): Promise<Result<Start>> => {
  const snapshot = await fullRecord(api, loaded.state);
  if (!snapshot.ok) return fail(snapshot.fault);
  return ok(
    loaded.state.ended_at === undefined
      ? { from: loaded.seq + 1, had: 0, snapshot: snapshot.value }
      : { from: 0, had: 0, snapshot: snapshot.value, endOnly: true },
  );
};

/** The event stream as its reader pulls it. It ends with the terminal event; between two frames it holds only its place. */
export async function* eventFrames(
  api: Api,
  entity: Entity,
  start: Start,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield `retry: ${retryMs}\n\n`;
  // Without an id: housekeeping must not move the reader's position.
  if (start.snapshot !== undefined) yield `event: reset\ndata: ${JSON.stringify(start.snapshot)}\n\n`;
  for await (const recorded of entriesFrom(api, entity, start.from, signal)) {
    const events = await eventsIn(api, recorded);
    if (!events.ok) throw new Error(`an entry cannot be read now: ${events.fault.detail}`);
    const { at } = readEntry(recorded);
    for (const [index, event] of events.value.entries()) {
      if (recorded.seq === start.from && index < start.had) continue;
      const isEnd = ends.includes(event.kind);
      if (start.endOnly && !isEnd) continue;
      const data = JSON.stringify({ at, ...event });
      yield `id: ${recorded.seq}.${index}\nevent: ${event.kind}\ndata: ${data}\n\n`;
      if (isEnd) return;
    }
  }
}
