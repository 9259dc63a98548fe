import { describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { foldmeshClient } from './client.ts';
import { json, lost, refused, scripted, silent } from './testing/scripted.ts';

const accepted = { id: 'j-1', status: 'running', links: {} };
const job = { name: 'n', plan: { tasks: [] } };

const failure = async (work: Promise<unknown>): Promise<ApiError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError) return error;
  throw new Error(`that was to fail with an ApiError: ${String(error)}`);
};

describe('a request', () => {
  it('carries the key, and what it is about stands in its path whatever it is called', async () => {
    const { client, asked } = scripted(json({ request: 'r', links: {} }));
    await client.answer('j/1', 'a~1.2/0', { n: 1 });
    expect(asked[0]).toMatchObject({
      method: 'POST',
      path: '/v1/jobs/j%2F1/inputs/a~1.2%2F0',
      body: '{"value":{"n":1}}',
    });
    expect(asked[0]?.headers.get('authorization')).toBe('Bearer fm_1_secret');
  });

  it('sends a job as JSON, and a text as the YAML that it may be', async () => {
    const { client, asked } = scripted(json(accepted));
    await client.submit(job);
    await client.submit('name: n\n');
    expect(asked.map(({ headers, body }) => [headers.get('content-type'), body])).toEqual([
      ['application/json', JSON.stringify(job)],
      ['application/yaml', 'name: n\n'],
    ]);
  });

  it('says all that a problem says', async () => {
    const errors = [{ path: ['plan', 0], message: 'wrong', line: 3 }];
    const { client } = scripted(
      refused(400, { code: 'invalid_job', errors, title: 'The job cannot be run' }),
    );
    expect(await failure(client.submit(job))).toMatchObject({
      message: 'The job cannot be run: wrong',
      code: 'invalid_job',
      status: 400,
      retryable: false,
      trace_id: 'a'.repeat(32),
      errors,
    });
  });

  it('that cannot be sent says so, and is not asked again', async () => {
    const { client, asked } = scripted(json(accepted));
    const ring: { self?: unknown } = {};
    ring.self = ring;
    for (const [what, work] of [
      ['a name of dots', () => client.cancel('..')],
      ['no name', () => client.task('j-1', '')],
      ['half a character', () => client.get('\ud800')],
      ['a body without end', () => client.submit(ring as never, { idempotencyKey: 'k', retryForMs: 60_000 })],
    ] as const)
      expect([what, await failure(work())]).toMatchObject([what, { code: 'unaskable', retryable: false }]);
    expect(asked).toEqual([]);
    for (const settings of [
      { url: 'mesh.test' },
      { url: 'http://me:secret@mesh.test' },
      { url: 'http://mesh.test', key: 'fm_1_a\nb' },
    ])
      expect([settings, await failure(foldmeshClient(settings).get('j-1'))]).toMatchObject([
        settings,
        { code: 'unaskable', retryable: false },
      ]);
  });

  it('reads no wait out of what is none, and none that is too long to make sense', async () => {
    for (const [said, ms] of [
      ['-5', undefined],
      ['1.5', undefined],
      ['soon', undefined],
      ['', undefined],
      ['0', 0],
      ['99999999999', 300_000],
      [new Date(9_000_000_000).toUTCString(), 300_000],
      [new Date(0).toUTCString(), 0],
    ] as const) {
      const { client } = scripted(refused(503, {}, { 'retry-after': said }));
      expect([said, (await failure(client.get('j-1'))).retryAfterMs]).toEqual([said, ms]);
    }
  });

  it('is not sent again without a pause, whatever the answer asks for', async () => {
    const { client, waits } = scripted(
      ...Array.from({ length: 8 }, () => refused(503, {}, { 'retry-after': '0' })),
      json(accepted),
    );
    await client.submit(job, { idempotencyKey: 'k', retryForMs: 600_000 });
    expect(Math.max(...waits)).toBeGreaterThan(100);
  });

  it('reads how long to wait, in seconds or as a date', async () => {
    const { client } = scripted(
      refused(429, {}, { 'retry-after': '7' }),
      refused(503, {}, { 'retry-after': new Date(1_009_000).toUTCString() }),
      refused(503),
    );
    expect((await failure(client.get('j-1'))).retryAfterMs).toBe(7_000);
    expect((await failure(client.get('j-1'))).retryAfterMs).toBe(9_000);
    expect((await failure(client.get('j-1'))).retryAfterMs).toBeUndefined();
  });

  it('makes an ApiError of whatever else may come', async () => {
    const html = () => new Response('<html>', { status: 502 });
    const { client } = scripted(lost, html, json({ id: 1 }), () => new Response('{"id":'));
    expect(await failure(client.get('j-1'))).toMatchObject({
      code: 'unreachable',
      retryable: true,
      status: undefined,
      message: 'no answer came: connect ECONNREFUSED',
    });
    expect(await failure(client.get('j-1'))).toMatchObject({
      code: 'unreadable',
      retryable: true,
      status: 502,
    });
    expect(await failure(client.get('j-1'))).toMatchObject({ code: 'unreadable', retryable: false });
    expect(await failure(client.get('j-1'))).toMatchObject({ message: 'the answer is no JSON' });
  });

  it.each(['request', 'headers'] as const)('is given up when nothing comes after its %s', async (after) => {
    const { client, silence } = scripted(silent(after));
    const failing = failure(client.get('j-1'));
    setTimeout(silence);
    expect(await failing).toMatchObject({
      code: 'unreachable',
      retryable: true,
      message: 'no answer came: none within 30000 ms',
    });
  });

  it('waits for an answer as long as its program says', async () => {
    const waited: number[] = [];
    const client = foldmeshClient({
      url: 'http://mesh.test',
      answerMs: 7,
      fetch: async () => Response.json({ status: 'ready', tenant: 'x' }),
      clock: { now: () => 0, sleep: async (ms) => void waited.push(ms) },
    });
    await client.artifact('j-1', 'd');
    expect(waited).toEqual([7]);
  });

  it('is given up when its signal says so', async () => {
    const over = new AbortController();
    const { client } = scripted(() => {
      over.abort();
      throw over.signal.reason;
    });
    expect(await failure(client.get('j-1', { signal: over.signal }))).toMatchObject({
      code: 'aborted',
      retryable: false,
    });
  });
});

describe('submit', () => {
  const key = 'k "1"';

  it('with a key is sent again after what may pass, under the same key', async () => {
    const { client, asked, waits } = scripted(
      lost,
      refused(429, {}, { 'retry-after': '2' }),
      refused(503, {}, { 'retry-after': '1' }),
      json(accepted, { status: 202 }),
    );
    expect(await client.submit(job, { idempotencyKey: key, retryForMs: 10_000 })).toEqual(accepted);
    expect(asked.map(({ headers }) => headers.get('idempotency-key'))).toEqual(
      asked.map(() => '"k \\"1\\""'),
    );
    expect(asked).toHaveLength(4);
    expect(waits[0]).toBeLessThanOrEqual(250);
    expect(waits.slice(1)).toEqual([2_000, 1_000]);
  });

  it('ends with the last failure when time is up', async () => {
    const { client, asked } = scripted(refused(503, {}, { 'retry-after': '4' }));
    const error = await failure(client.submit(job, { idempotencyKey: key, retryForMs: 10_000 }));
    expect([error.status, asked.length]).toEqual([503, 3]);
  });

  it('is never sent again without a key, nor without time, nor where that cannot help', async () => {
    for (const submitting of [{ retryForMs: 10_000 }, { idempotencyKey: key }]) {
      const { client, asked } = scripted(lost);
      await failure(client.submit(job, submitting));
      expect(asked).toHaveLength(1);
    }
    const { client, asked } = scripted(refused(422, { code: 'key_reused' }));
    const error = await failure(client.submit(job, { idempotencyKey: key, retryForMs: 10_000 }));
    expect([error.code, asked.length]).toEqual(['key_reused', 1]);
  });

  it('takes no key that a header cannot carry', async () => {
    const { client, asked } = scripted(json(accepted));
    for (const idempotencyKey of ['naïve', '', 'k'.repeat(256), 'a\n'])
      expect(await failure(client.submit(job, { idempotencyKey }))).toMatchObject({
        code: 'invalid_key',
        message: 'an idempotency key has 1 to 255 characters of ASCII that can be printed',
      });
    expect(asked).toHaveLength(0);
  });
});

describe('list', () => {
  const summary = (id: string) => ({
    id,
    name: 'n',
    status: 'running',
    labels: {},
    created_at: 1,
    links: {},
  });

  it('shows a job whose status or reason only a newer mesh knows', async () => {
    const later = { status: 'haunted', wait: { reason: 'moonrise', since: 1 } };
    const { client } = scripted(json({ jobs: [{ ...summary('j-1'), ...later }, summary('j-2')] }));
    const { jobs } = await client.list().page();
    expect(jobs).toMatchObject([later, { status: 'running' }]);
  });

  it('gives the jobs of all pages, and asks for a page only when it is wanted', async () => {
    const { client, asked } = scripted(
      json({ jobs: [summary('j-1'), summary('j-2')], next: '1.j-2' }),
      json({ jobs: [summary('j-3')] }),
    );
    const ids: string[] = [];
    const jobs = client.list(
      { status: ['running', 'queued'], labels: { team: 'x' }, name: 'n*' },
      { limit: 2 },
    );
    for await (const { id } of jobs) {
      ids.push(id);
      if (id === 'j-2') expect(asked).toHaveLength(1);
    }
    expect(ids).toEqual(['j-1', 'j-2', 'j-3']);
    expect(asked.map(({ path }) => path)).toEqual([
      '/v1/jobs?status=running&status=queued&name=n*&label=team%3Dx&limit=2',
      '/v1/jobs?status=running&status=queued&name=n*&label=team%3Dx&limit=2&cursor=1.j-2',
    ]);
  });
});
