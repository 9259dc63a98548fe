import { endsStream, placeOf } from '@foldmesh/client';
import { fail, ok, type Result } from '@foldmesh/envelope';
import type { JobRecord } from '@foldmesh/job';
import type { Api } from './api-call.ts';
import { bytesFrom, chunkOf, type EventChunk, resetFrame, retryFrame, unreadable } from './event-text.ts';
import { fullRecord } from './get-job.ts';
import { saidIn } from './job-entries.ts';
import type { JobFeed } from './job-feed.ts';
import type { Known } from './job-state.ts';

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
  const place = placeOf(lastEventId.trim());
  if (place === undefined) return resetOf(api, known);
  const { seq, index } = place;
  const recorded = await api.ports.journal.at(known.entity, seq);
  if (!recorded.ok) return recorded;
  if (recorded.value === undefined) return resetOf(api, known);
  const said = await saidIn(api, recorded.value);
  if (!said.ok) return said;
  const event = said.value.events[index];
  if (event === undefined) return resetOf(api, known);
  return ok(endsStream(event) ? 'over' : { from: seq, had: index + 1 });
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
  known: Known,
  start: Start,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  yield retryFrame;
  if (start.snapshot !== undefined) yield resetFrame(start.snapshot);
  const isOver = known.loaded.state.ended_at !== undefined;
  await using joined = isOver ? undefined : api.hub.join(known.entity, known.loaded.seq + 1);
  // It was let in together with too many others: it knows when to come back.
  if (joined === undefined && !isOver) return;
  const pieces =
    joined === undefined
      ? storedIn(api, known, start.from)
      : piecesOf(api, known, { from: start.from, feed: joined.feed }, signal);
  for await (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      yield piece;
      continue;
    }
    const bytes = bytesFrom(piece, firstIn(piece, start));
    if (bytes.length > 0) yield bytes;
    if (piece.end !== undefined) return;
  }
}

/** Which event of an entry is the first that the reader has not had, or wants at all. */
const firstIn = ({ seq, end, offsets }: EventChunk, { from, had, endOnly }: Start): number => {
  if (endOnly) return end ?? offsets.length - 1;
  return seq === from ? had : 0;
};

/** What there is of a job that has ended: nothing more will come. */
async function* storedIn(api: Api, { entity }: Known, from: number): AsyncGenerator<EventChunk> {
  for (let chunk = await chunkIn(api, entity, from); chunk !== undefined; ) {
    yield chunk;
    chunk = await chunkIn(api, entity, chunk.seq + 1);
  }
}

interface Reading {
  readonly from: number;
  readonly feed: JobFeed;
}

/**
 * All entries from one on, and live news where there is nothing else to be told. What the feed does not have is read from
 * the journal, by each reader for itself and at its own pace: at the beginning, and again when it falls behind. The
 * sequence joins both without a seam.
 */
async function* piecesOf(
  api: Api,
  { entity }: Known,
  { from, feed }: Reading,
  signal: AbortSignal,
): AsyncGenerator<EventChunk | Uint8Array> {
  let next = from;
  let live = feed.liveEnd();
  while (!signal.aborted) {
    const begins = feed.from();
    const chunk = next < begins ? await chunkIn(api, entity, next) : feed.after(next);
    if (chunk !== undefined) {
      yield chunk;
      next = chunk.seq + 1;
      // Who has to catch up has no use for news of what it has not come to yet.
      if (next < begins) live = feed.liveEnd();
      continue;
    }
    // The journal has nothing more: where the feed began when it was asked is where this reader is.
    if (next < begins) {
      next = begins;
      continue;
    }
    const news = feed.liveAfter(live);
    if (news !== undefined) {
      yield news.bytes;
      live = news.next;
    } else await feed.more(signal);
  }
}

const chunkIn = async (api: Api, entity: Known['entity'], from: number): Promise<EventChunk | undefined> => {
  const read = await api.ports.journal.read(entity, from, 1);
  if (!read.ok) throw unreadable(read.fault);
  const [recorded] = read.value;
  if (recorded === undefined) return undefined;
  const said = await saidIn(api, recorded);
  if (!said.ok) throw unreadable(said.fault);
  return chunkOf(recorded.seq, said.value);
};
