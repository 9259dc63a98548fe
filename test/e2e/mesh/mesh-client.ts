import type { JobRecord } from '@foldmesh/job';
import { eventually } from '@foldmesh/testbed';

/** What the API answered. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: unknown;
}

/** A client that does what people do with `curl`: nothing of it is shared with the service. */
export interface MeshClient {
  readonly url: string;
  /** A text is sent as it is, anything else as JSON. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** Submits a job, again where it is told to, and gives its id. */
  submit(spec: unknown, idempotencyKey?: string): Promise<string>;
  record(job: string): Promise<JobRecord>;
  /** The record of a job that has ended. */
  ended(job: string, withinMs?: number): Promise<JobRecord>;
  /** Whether a job that uses this name would be taken. */
  knows(kind: 'skill' | 'tool', name: string): Promise<boolean>;
}

/** How a key is sent. */
export const keyHeader = (key: string | undefined): Readonly<Record<string, string>> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` };

const terminal = ['completed', 'failed', 'cancelled'];

/** `key`: what it sends with every request, where the API wants one. */
export const meshClient = (url: string, key?: string): MeshClient => {
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const headers = { ...keyHeader(key), ...init.headers };
    const response = await fetch(`${url}${path}`, { ...init, headers, signal: AbortSignal.timeout(30_000) });
    const text = await response.text();
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
  const post: MeshClient['post'] = (path, body, headers = {}) =>
    ask(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers });
  const get: MeshClient['get'] = (path) => ask(path, { method: 'GET' });
  const record = async (job: string): Promise<JobRecord> => {
    const { status, body } = await get(`/v1/jobs/${job}`);
    if (status !== 200) throw new Error(`job ${job}: ${status} ${JSON.stringify(body)}`);
    return body as JobRecord; // the shape that the API documents
  };
  return {
    url,
    post,
    get,
    record,
    submit: async (spec, idempotencyKey = crypto.randomUUID()) => {
      // With a key, so that a submit whose answer got lost is the same job when it is sent again.
      const { id } = await eventually(
        async () => {
          const { status, body } = await post('/v1/jobs', spec, { 'idempotency-key': idempotencyKey });
          if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
          return body as { readonly id: string }; // as the API documents it
        },
        { withinMs: 60_000, everyMs: 200 },
      );
      return id;
    },
    ended: (job, withinMs = 60_000) =>
      eventually(
        async () => {
          const now = await record(job);
          if (!terminal.includes(now.status)) throw new Error(`job ${job} is ${JSON.stringify(now)}`);
          return now;
        },
        { withinMs, everyMs: 100 },
      ),
    knows: async (kind, name) => {
      const spec = { name: 'probe', plan: { tasks: [{ id: 'a', [kind]: name, input: 0 }, { id: 'a' }] } };
      const { body } = await post('/v1/jobs', spec);
      // Two tasks of one id are refused whatever they do; what else is wrong with them is told in the same breath.
      return !JSON.stringify(body).includes(name);
    },
  };
};
