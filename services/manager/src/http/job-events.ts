import type { Clock, Log } from '@foldmesh/ports';
import type { ApiCall } from './api-call.ts';
import { eventFrames, startOf } from './event-frames.ts';
import { knownJob } from './job-state.ts';
import { faultProblem } from './problem.ts';

/** A silent stream says that it lives, more often than any proxy gives up. Milliseconds. */
const keepAliveMs = 15_000;
const keepAlive = ': keep-alive\n\n';

/**
 * A job's events as they are appended, each once, in order, with ids `<entry sequence>.<index>`; after the terminal one
 * the stream ends. That a reader leaves changes nothing for the job.
 */
export const jobEvents = async (call: ApiCall): Promise<Response> => {
  const known = await knownJob(call);
  if (known instanceof Response) return known;
  const start = await startOf(call, known, call.request.headers.get('last-event-id'));
  if (!start.ok) return faultProblem(call, start.fault, known.entity.job);
  // Who has had the terminal event has had all; this status tells a browser to stop coming back.
  if (start.value === 'over') return new Response(null, { status: 204 });
  const stop = new AbortController();
  const frames = eventFrames(call, known.entity, start.value, stop.signal);
  return new Response(pulled(frames, stop, { ...call.ports, draining: call.draining }), {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
};

interface Around {
  readonly clock: Clock;
  readonly log: Log;
  readonly draining: AbortSignal;
}

/**
 * Nothing is read ahead: a frame is made when the reader asks for one, so that one who stalls holds nothing but its
 * place.
 */
const pulled = (
  frames: AsyncGenerator<string>,
  stop: AbortController,
  { clock, log, draining }: Around,
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  const halt = (): void => stop.abort();
  const end = async (): Promise<void> => {
    halt();
    draining.removeEventListener('abort', halt);
    await frames.return(undefined);
  };
  const next = nextOf(frames, clock, stop.signal);
  let begun = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // Not before somebody reads: of a body that nobody wants nothing is left behind.
        if (!begun) draining.addEventListener('abort', halt, { once: true });
        begun = true;
        if (draining.aborted) halt();
        const frame = await next().catch((error: unknown) => {
          // Cut here, it goes on from the reader's last id.
          log('warn', 'an event stream was cut', { error: String(error) });
          return undefined;
        });
        if (frame !== undefined) return controller.enqueue(encoder.encode(frame));
        controller.close();
        await end();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
};

/** The next frame, or a sign of life when it takes too long; undefined when there will be none. */
const nextOf = (
  frames: AsyncGenerator<string>,
  clock: Clock,
  stopped: AbortSignal,
): (() => Promise<string | undefined>) => {
  let pending: Promise<IteratorResult<string>> | undefined;
  return async () => {
    if (stopped.aborted) return undefined;
    pending ??= frames.next();
    const idle = new AbortController();
    const wake = (): void => idle.abort();
    stopped.addEventListener('abort', wake, { once: true });
    const quiet = clock.sleep(keepAliveMs, idle.signal).then(() => undefined);
    try {
      const first = await Promise.race([pending, quiet]);
      if (stopped.aborted) return undefined;
      if (first === undefined) return keepAlive;
      pending = undefined;
      return first.done === true ? undefined : first.value;
    } finally {
      stopped.removeEventListener('abort', wake);
      wake();
    }
  };
};
