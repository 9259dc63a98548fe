import { apiLimits } from '@foldmesh/client';
import type { Clock } from '@foldmesh/ports';
import type { ApiCall } from './api-call.ts';
import { eventFrames, startOf } from './event-frames.ts';
import { keepAliveFrame } from './event-text.ts';
import { knownJob } from './job-state.ts';
import { faultProblem, problem } from './problem.ts';

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
  if (call.hub.isFull())
    return problem(call, {
      status: 503,
      code: 'too_many_readers',
      title: 'This process serves as many event streams as it may; ask again',
      retryAfterS: 1,
    });
  const stop = new AbortController();
  const frames = eventFrames(call, known, start.value, stop.signal);
  return new Response(pulled(frames, stop, call), {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
};

/**
 * Nothing is read ahead: a frame is made when the reader asks for one, so that one who stalls holds nothing but its
 * place.
 */
const pulled = (
  frames: AsyncGenerator<Uint8Array>,
  stop: AbortController,
  { ports: { clock, log }, draining, mayGoOn }: ApiCall,
): ReadableStream<Uint8Array> => {
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
        if (frame !== undefined && mayGoOn()) return controller.enqueue(frame);
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
  frames: AsyncGenerator<Uint8Array>,
  clock: Clock,
  stopped: AbortSignal,
): (() => Promise<Uint8Array | undefined>) => {
  let pending: Promise<IteratorResult<Uint8Array>> | undefined;
  return async () => {
    if (stopped.aborted) return undefined;
    pending ??= frames.next();
    const idle = new AbortController();
    const wake = (): void => idle.abort();
    stopped.addEventListener('abort', wake, { once: true });
    const quiet = clock.sleep(apiLimits.keepAliveMs, idle.signal).then(() => undefined);
    try {
      const first = await Promise.race([pending, quiet]);
      if (stopped.aborted) return undefined;
      if (first === undefined) return keepAliveFrame;
      pending = undefined;
      return first.done === true ? undefined : first.value;
    } finally {
      stopped.removeEventListener('abort', wake);
      wake();
    }
  };
};
