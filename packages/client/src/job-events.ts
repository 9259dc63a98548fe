import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ApiError } from './api-error.ts';
import { apiLimits } from './api-limits.ts';
import type { Caller } from './caller.ts';
import { waitOf } from './resend.ts';
import { endsStream, placeOf, type StreamStep, stepOf } from './stream-event.ts';
import type { Surroundings } from './surroundings.ts';

export interface Reading {
  /** The id of the last step that the reader has; it is told what came after. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A stream that says nothing for so long, not even that it lives, is taken for dead. Milliseconds. */
const deadMs = 3 * apiLimits.keepAliveMs;

/**
 * A job's events to its end, each once and in order, whatever breaks on the way: it comes back with the id of the last
 * one. Ends early when `signal` aborts; throws only what asking again cannot mend.
 */
export async function* jobEvents(
  caller: Caller,
  job: string,
  { after, signal }: Reading,
  around: Surroundings,
): AsyncGenerator<StreamStep> {
  let place = after;
  // After a reset the reader's old place says nothing of what is new; it is still what it comes back with.
  let seen = after;
  for (let tries = 0; !isOver(signal); tries++) {
    try {
      for await (const step of stepsOf(caller, job, { after: place, signal }, around)) {
        if (step === 'over') return;
        tries = 0;
        if (step.kind === 'reset') seen = undefined;
        else if (step.kind !== 'live') {
          if (seen !== undefined && !isAfter(step.id, seen)) continue;
          place = step.id;
          seen = step.id;
        }
        yield step;
        if (step.kind === 'event' && endsStream(step.event)) return;
      }
    } catch (error) {
      if (isOver(signal)) return;
      if (!(error instanceof ApiError) || !error.retryable) throw error;
      await around.clock.sleep(waitOf(error, tries, around.chance()), signal);
    }
  }
}

/** Asked anew each time: it changes while something else is awaited. */
const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/** What one connection tells; it always ends by an error, unless there is nothing more to be told. */
async function* stepsOf(
  caller: Caller,
  job: string,
  { after, signal }: Reading,
  { clock }: Surroundings,
): AsyncGenerator<StreamStep | 'over'> {
  const stop = new AbortController();
  const halt = (): void => stop.abort();
  signal?.addEventListener('abort', halt, { once: true });
  try {
    const response = await caller.response({
      path: ['v1', 'jobs', job, 'events'],
      headers: { accept: 'text/event-stream', ...(after !== undefined && { 'last-event-id': after }) },
      signal: stop.signal,
    });
    if (response.status === 204) return yield 'over';
    // A page that stands before the mesh says 200 to all, and would be asked for ever.
    if (!/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? ''))
      throw new ApiError({
        message: 'the answer is no stream of events',
        code: 'unreadable',
        retryable: false,
        status: response.status,
      });
    for await (const message of messagesIn(response, stop, clock)) {
      const step = stepIn(message);
      if (step !== undefined) yield step;
    }
    throw new ApiError({ message: 'the stream of events broke off', code: 'unreachable', retryable: true });
  } finally {
    signal?.removeEventListener('abort', halt);
    halt();
  }
}

async function* messagesIn(
  { body }: Response,
  stop: AbortController,
  clock: Surroundings['clock'],
): AsyncGenerator<EventSourceMessage> {
  const heard: EventSourceMessage[] = [];
  let tooLong: Error | undefined;
  const parser = createParser({
    maxBufferSize: apiLimits.frameLengthMax,
    onEvent: (message) => void heard.push(message),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') tooLong = error;
    },
  });
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  try {
    for (;;) {
      const chunk = await inTime(reader?.read(), stop, clock);
      if (chunk === undefined || chunk.done) return;
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      yield* heard.splice(0);
      if (tooLong !== undefined)
        throw unreadable(`more than ${apiLimits.frameLengthMax} characters`, tooLong);
    }
  } finally {
    // A connection that is cut cannot be told that nobody reads any more.
    await reader?.cancel().catch(() => undefined);
  }
}

/** What comes before the connection is given up: for dead, or because nobody reads any more. */
const inTime = async <T>(
  work: Promise<T> | undefined,
  stop: AbortController,
  clock: Surroundings['clock'],
): Promise<T | undefined> => {
  const come = new AbortController();
  const wake = (): void => come.abort();
  stop.signal.addEventListener('abort', wake, { once: true });
  const dead = clock.sleep(deadMs, come.signal).then(() => undefined);
  try {
    return await Promise.race([work, dead]);
  } catch (cause) {
    const given = stop.signal.aborted;
    throw new ApiError(
      {
        message: 'the stream of events was cut',
        code: given ? 'aborted' : 'unreachable',
        retryable: !given,
      },
      { cause },
    );
  } finally {
    stop.signal.removeEventListener('abort', wake);
    wake();
  }
};

const stepIn = ({ id, event, data }: EventSourceMessage): StreamStep | undefined => {
  try {
    return stepOf({ id, name: event ?? 'message', data: JSON.parse(data) });
  } catch (cause) {
    throw unreadable(String(cause), cause);
  }
};

const unreadable = (what: string, cause: unknown): ApiError =>
  new ApiError(
    {
      message: `the stream of events says something that is none: ${what}`,
      code: 'unreadable',
      retryable: false,
    },
    { cause },
  );

/** Ids without a place have no order, and differ. */
const isAfter = (id: string, last: string): boolean => {
  const [a, b] = [placeOf(id), placeOf(last)];
  if (a === undefined || b === undefined) return id !== last;
  return a.seq > b.seq || (a.seq === b.seq && a.index > b.index);
};
