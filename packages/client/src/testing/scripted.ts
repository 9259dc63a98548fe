import { apiLimits } from '../api-limits.ts';
import type { FoldmeshClient } from '../client.ts';
import { foldmeshClient } from '../client.ts';

/** What was asked, as the other side sees it. */
export interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  /** Aborts when the client gives it up. */
  readonly signal: AbortSignal;
}

/** One answer: a response, or a connection that breaks. */
export type Answer = (asked: Asked) => Response | Promise<Response>;

export interface Scripted {
  readonly client: FoldmeshClient;
  readonly asked: readonly Asked[];
  /** How long the client waited each time, but for how long it listens. Milliseconds. */
  readonly waits: readonly number[];
  /** Lets so much time pass that what is silent is taken for dead. */
  readonly silence: () => void;
}

/** What the client only listens for: an answer, and the signs of life of a stream. Milliseconds. */
const listenings: readonly number[] = [apiLimits.answerMs, 3 * apiLimits.keepAliveMs];

/** A client whose requests are answered in turn, the last answer for ever; time passes as fast as it can. */
export const scripted = (...answers: readonly Answer[]): Scripted => {
  const asked: Asked[] = [];
  const waits: number[] = [];
  const listening = new Set<() => void>();
  let now = 1_000_000;
  const client = foldmeshClient({
    url: 'http://mesh.test/',
    key: 'fm_1_secret',
    fetch: async (url, init) => {
      const request = new Request(url, init);
      const { pathname, search } = new URL(url);
      const one = {
        method: request.method,
        path: pathname + search,
        headers: request.headers,
        body: await request.text(),
        signal: request.signal,
      };
      asked.push(one);
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer === undefined) throw new Error('nobody answers');
      return answer(one);
    },
    clock: {
      now: () => now,
      sleep: async (ms, signal) => {
        if (!listenings.includes(ms)) {
          waits.push(ms);
          now += ms;
          return;
        }
        await new Promise<void>((resolve) => {
          const end = (): void => {
            listening.delete(end);
            resolve();
          };
          listening.add(end);
          signal?.addEventListener('abort', end, { once: true });
        });
      },
    },
  });
  return {
    client,
    asked,
    waits,
    silence: () => {
      for (const end of listening) end();
    },
  };
};

export const json =
  (value: unknown, init?: ResponseInit): Answer =>
  () =>
    Response.json(value, init);

export const refused = (
  status: number,
  more: { readonly [field: string]: unknown } = {},
  headers: Readonly<Record<string, string>> = {},
): Answer =>
  json(
    {
      type: 'urn:foldmesh:problem:x',
      title: 'No',
      status,
      code: 'x',
      retryable: status === 429 || status === 503,
      trace_id: 'a'.repeat(32),
      errors: [],
      ...more,
    },
    { status, headers: { 'content-type': 'application/problem+json', ...headers } },
  );

/** A connection that is lost before an answer comes. */
export const lost: Answer = () => {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
};

/** A connection on which nothing comes until the client gives it up, before its headers or after them. */
export const silent =
  (after: 'request' | 'headers'): Answer =>
  ({ signal }) => {
    const given = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return after === 'request' ? given : new Response(new ReadableStream({ pull: () => given }));
  };

/** An event stream that tells these frames; then it breaks off, or stays open and silent. */
export const stream =
  (frames: readonly string[], after: 'end' | 'cut' | 'silent' = 'end'): Answer =>
  () => {
    const encoder = new TextEncoder();
    const left = [...frames];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const frame = left.shift();
        if (frame !== undefined) controller.enqueue(encoder.encode(frame));
        else if (after === 'end') controller.close();
        else if (after === 'cut') controller.error(new Error('socket hang up'));
        else return new Promise<void>(() => undefined);
        return undefined;
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
