import { firstIssue, type Json } from '@foldmesh/envelope';
import type { z } from 'zod';
import { ApiError, errorIn } from './api-error.ts';
import type { Surroundings } from './surroundings.ts';

/** What is asked for: a path of the API with what follows it. */
export interface Ask {
  readonly method?: 'GET' | 'POST';
  /** The parts of the path, as they are called. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | readonly (string | number)[] | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, which is how YAML goes; anything else as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Asks, and gives the answer if it is a success. Everything else is an `ApiError`. */
export interface Caller {
  /** An answer as it begins: what comes after its headers may take its time. */
  response(ask: Ask): Promise<Response>;
  value<T>(ask: Ask, schema: z.ZodType<T>): Promise<T>;
}

export const callerOf = (
  {
    url,
    key,
    answerMs,
  }: { readonly url: string; readonly key: string | undefined; readonly answerMs: number },
  { fetch, clock }: Surroundings,
): Caller => {
  const base = url.replace(/\/+$/, '');
  /** Asks, and reads as much of the answer as has to come in time. */
  const inTime = async <T>(ask: Ask, read: (answer: Response) => Promise<T>): Promise<T> => {
    const { address, init } = askable(() => askOf(base, ask, key));
    const late = new AbortController();
    const told = new AbortController();
    const timer = clock.sleep(answerMs, told.signal).then(() => {
      if (!told.signal.aborted) late.abort(new Error(`none within ${answerMs} ms`));
    });
    const signal = AbortSignal.any([late.signal, ...(ask.signal === undefined ? [] : [ask.signal])]);
    try {
      const answer = await fetch(address, { ...init, signal });
      if (!answer.ok) throw await errorIn(answer, clock.now());
      return await read(answer);
    } catch (error) {
      throw error instanceof ApiError ? error : unreachable(error, ask.signal);
    } finally {
      told.abort();
      await timer;
    }
  };
  return {
    response: (ask) => inTime(ask, async (answer) => answer),
    value: (ask, schema) =>
      inTime(ask, async (answer) => valueIn(await answer.text(), answer.status, schema)),
  };
};

/** The platform says of an address, a header or a body that cannot be the same as of a cable that is cut. */
const askable = <T>(made: () => T): T => {
  try {
    return made();
  } catch (cause) {
    throw new ApiError(
      { message: `this cannot be asked: ${reasonIn(cause)}`, code: 'unaskable', retryable: false },
      { cause },
    );
  }
};

const askOf = (base: string, ask: Ask, key: string | undefined) => {
  const init = initOf(ask, key);
  const address = `${base}${pathOf(ask.path)}${queryOf(ask.query)}`;
  void new Request(address, init); // looks at all of it, and sends nothing
  return { address, init };
};

/** Dots would be taken for another path, and what has no name for the one above it. */
const pathOf = (parts: readonly string[]): string => {
  const lost = parts.find((part) => ['', '.', '..'].includes(part));
  if (lost !== undefined) throw new TypeError(`nothing is called ${JSON.stringify(lost)}`);
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
};

const initOf = ({ method = 'GET', headers, body, signal }: Ask, key: string | undefined): RequestInit => ({
  method,
  headers: {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && {
      'content-type': typeof body === 'string' ? 'application/yaml' : 'application/json',
    }),
    ...headers,
  },
  ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  ...(signal !== undefined && { signal }),
});

const queryOf = (query: Ask['query'] = {}): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) parameters.append(name, String(one));
  return parameters.size === 0 ? '' : `?${parameters}`;
};

const unreachable = (cause: unknown, signal: AbortSignal | undefined): ApiError =>
  signal?.aborted === true
    ? new ApiError({ message: 'the request was given up', code: 'aborted', retryable: false }, { cause })
    : new ApiError(
        { message: `no answer came: ${reasonIn(cause)}`, code: 'unreachable', retryable: true },
        { cause },
      );

/** A platform says only that it failed, and hides why in the cause. */
const reasonIn = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
};

const valueIn = <T>(text: string, status: number, schema: z.ZodType<T>): T => {
  const checked = schema.safeParse(parsed(text, status));
  if (checked.success) return checked.data;
  throw new ApiError(
    {
      message: `the answer is not of the shape that it should have: ${firstIssue(checked.error)}`,
      code: 'unreadable',
      retryable: false,
      status,
    },
    { cause: checked.error },
  );
};

const parsed = (text: string, status: number): Json => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError(
      {
        message: 'the answer is no JSON',
        code: 'unreadable',
        retryable: false,
        status,
      },
      { cause },
    );
  }
};
