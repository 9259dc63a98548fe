import { decodeJson, type JobId, liveSubject, type TenantId } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import { chunkOf, type EventChunk, liveFrame, unreadable } from './event-text.ts';
import { entriesFrom, saidIn } from './job-entries.ts';
import { latest, type Room } from './latest.ts';

/** A job as its readers at this process follow it: its journal is read once, however many they are. */
export interface JobFeed extends AsyncDisposable {
  /** Every entry from this sequence on is here, or will be. It grows as older ones are dropped. */
  from(): number;
  /** The first entry here with at least this sequence. */
  after(seq: number): EventChunk | undefined;
  /** Where live news begin that come from now on. */
  liveEnd(): number;
  /** The first of the live news here with at least this place, and the place after it. */
  liveAfter(place: number): { readonly bytes: Uint8Array; readonly next: number } | undefined;
  /** Its journal could not be read: there will be no more. */
  isBroken(): boolean;
  /** Resolves when there may be more, and when `signal` aborts; rejects when it is broken. */
  more(signal: AbortSignal): Promise<void>;
}

/** What is held for all readers of one job, or one entry that is larger. Bytes. */
const eventBytesMax = 4 * 1024 * 1024;
const liveBytesMax = 32 * 1024;
/** A larger piece of live news is passed over. Bytes. */
const newsBytesMax = 16 * 1024;

/** Follows a job from this sequence on, and hears its live news, until it is disposed. */
export const jobFeed = (
  ports: Ports,
  entity: { readonly tenant: TenantId; readonly job: JobId },
  start: number,
  room: Room,
): JobFeed => {
  const over = new AbortController();
  const waiting = new Set<() => void>();
  let from = start;
  let broken: Error | undefined;
  const events = latest<EventChunk>(eventBytesMax, room, ({ seq }) => {
    from = seq + 1;
  });
  const live = latest<Uint8Array>(liveBytesMax, room);
  const wake = (): void => {
    for (const go of waiting) go();
  };

  const follow = async (): Promise<void> => {
    for await (const recorded of entriesFrom({ ports }, entity, start, over.signal)) {
      const said = await saidIn({ ports }, recorded);
      if (!said.ok) throw unreadable(said.fault);
      const chunk = chunkOf(recorded.seq, said.value);
      events.add(chunk, chunk.bytes.length);
      wake();
    }
  };
  const following = follow().catch((error: unknown) => {
    broken = error instanceof Error ? error : new Error(String(error));
    wake();
  });
  const listening = ports.bus.listen(liveSubject(entity.tenant, entity.job), (body) => {
    const news = decodeJson(body, newsBytesMax);
    if (!news.ok) return;
    const bytes = liveFrame(news.value);
    live.add(bytes, bytes.length);
    wake();
  });

  return {
    from: () => from,
    after: (seq) => events.at(firstFrom(events, seq)),
    liveEnd: live.end,
    liveAfter: (place) => {
      const at = Math.max(place, live.first());
      const bytes = live.at(at);
      return bytes && { bytes, next: at + 1 };
    },
    isBroken: () => broken !== undefined,
    async more(signal) {
      if (broken === undefined && !signal.aborted)
        await new Promise<void>((resolve) => {
          const go = (): void => {
            waiting.delete(go);
            signal.removeEventListener('abort', go);
            resolve();
          };
          waiting.add(go);
          signal.addEventListener('abort', go, { once: true });
        });
      if (broken !== undefined) throw broken;
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await listening[Symbol.asyncDispose]();
      await following;
      events.clear();
      live.clear();
    },
  };
};

/** Place of the first with at least this sequence; sequences of a line only grow. */
const firstFrom = (events: ReturnType<typeof latest<EventChunk>>, seq: number): number => {
  let low = events.first();
  let high = events.end();
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events.at(middle)?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
};
