import { endsStream } from '@foldmesh/client';
import type { Fault, Json } from '@foldmesh/envelope';
import type { JobRecord } from '@foldmesh/job';
import type { SaidEvents } from './job-entries.ts';

/** What one entry of a job says, as its readers get it: made once for all of them. */
export interface EventChunk {
  readonly seq: number;
  /** All its events, one after the other. */
  readonly bytes: Uint8Array;
  /** Where each begins, and where the last one ends. */
  readonly offsets: readonly number[];
  /** Which of them the job has ended with. */
  readonly end: number | undefined;
}

/** Ends a stream, and no more: its reader comes back and goes on where it was. */
export const unreadable = ({ detail }: Fault): Error => new Error(`an entry cannot be read now: ${detail}`);

const encoder = new TextEncoder();
const frame = (text: string): Uint8Array => encoder.encode(`${text}\n\n`);

/** How long a client should wait before it comes back, wherever the stream breaks off. Milliseconds. */
const retryMs = 1_000;

export const retryFrame = frame(`retry: ${retryMs}`);
export const keepAliveFrame = frame(': keep-alive');

// Only events of the journal have ids: nothing else may move a reader's position.

export const resetFrame = (snapshot: JobRecord): Uint8Array =>
  frame(`event: reset\ndata: ${JSON.stringify(snapshot)}`);

export const liveFrame = (news: Json): Uint8Array => frame(`event: live\ndata: ${JSON.stringify(news)}`);

/** Ids are `<entry sequence>.<index>`. */
export const chunkOf = (seq: number, { at, events }: SaidEvents): EventChunk => {
  const frames = events.map((event, index) =>
    frame(`id: ${seq}.${index}\nevent: ${event.kind}\ndata: ${JSON.stringify({ at, ...event })}`),
  );
  const offsets = [0];
  for (const { length } of frames) offsets.push((offsets.at(-1) ?? 0) + length);
  const bytes = new Uint8Array(offsets.at(-1) ?? 0);
  for (const [index, one] of frames.entries()) bytes.set(one, offsets[index]);
  const end = events.findIndex(endsStream);
  return { seq, bytes, offsets, end: end < 0 ? undefined : end };
};

/** The events of a chunk from this one on; nothing comes after the one that the job has ended with. */
export const bytesFrom = ({ bytes, offsets, end }: EventChunk, first: number): Uint8Array =>
  bytes.subarray(offsets[first], end === undefined ? undefined : offsets[end + 1]);
