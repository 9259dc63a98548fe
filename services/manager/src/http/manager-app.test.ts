import { fail, fault } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import { describe, expect, it } from 'vitest';
import { type Answer, body, echo, hold, jobOf, origin, refuse, stories, tenant } from './testing/test-api.ts';

const story = stories(it);

describe('GET /v1/jobs/{id}', () => {
  story('gives the record, with a hint when to ask again as long as it runs', async (api) => {
    const job = await api.submit(jobOf([hold('a')], { labels: { team: 'x' } }));
    const running = await api.get(`/v1/jobs/${job}`);
    expect([running.status, running.headers.get('retry-after')]).toEqual([200, '1']);
    expect(await body(running)).toMatchObject({
      id: job,
      status: 'running',
      labels: { team: 'x' },
      durability: 'process',
    });
    await api.post(`/v1/jobs/${job}/cancel`);
    await api.ended(job);
    expect((await api.get(`/v1/jobs/${job}`)).headers.get('retry-after')).toBeNull();
  });

  story('says why a job failed', async (api) => {
    const job = await api.submit(jobOf([refuse('a')]));
    expect(await api.ended(job)).toMatchObject({ status: 'failed', fault: { kind: 'refused' } });
  });
});

describe('GET /v1/jobs', () => {
  story('lists the newest first, in pages', async (api) => {
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) {
      ids.unshift(await api.submit(jobOf([echo('a')], { name: `n${n}` })));
      await api.clock.sleep(n < 3 ? 10 : 0);
    }
    await api.clock.sleep(1_000);
    const whole = (await body(await api.get('/v1/jobs'))).jobs.map(({ id }: Answer) => id);
    expect(new Set(whole)).toEqual(new Set(ids));
    expect(whole.slice(-3)).toEqual(ids.slice(-3));
    const paged: string[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page: Answer = await body(
        await api.get(`/v1/jobs?limit=2${next === '' ? '' : `&cursor=${next}`}`),
      );
      expect(page.jobs.length).toBeLessThanOrEqual(2);
      paged.push(...page.jobs.map(({ id }: Answer) => id));
      next = page.next;
    }
    expect(paged).toEqual(whole);
  });

  story('filters by status and label', async (api) => {
    const one = await api.submit(jobOf([echo('a')], { labels: { team: 'x', kind: 'k' } }));
    const two = await api.submit(jobOf([hold('a')], { labels: { team: 'x' } }));
    await api.ended(one);
    const ids = async (query: string) =>
      (await body(await api.get(`/v1/jobs?${query}`))).jobs.map(({ id }: Answer) => id).toSorted();
    expect(await ids('status=completed')).toEqual([one]);
    expect(await ids('status=running&status=completed')).toEqual([one, two].toSorted());
    expect(await ids('label=team=x')).toEqual([one, two].toSorted());
    expect(await ids('label=team=x&label=kind=k')).toEqual([one]);
    expect(await ids('label=constructor=x')).toEqual([]);
  });

  story('refuses a query that it does not know', async (api) => {
    for (const query of [
      'status=done',
      'limit=0',
      'limit=201',
      'limit=x',
      'cursor=abc',
      'label=team',
      'colour=red',
      'limit=1&limit=2',
    ]) {
      const response = await api.get(`/v1/jobs?${query}`);
      expect([query, response.status, (await body(response)).code]).toEqual([query, 400, 'invalid_query']);
    }
  });
});

describe('POST /v1/jobs/{id}/cancel', () => {
  story('stops the job, and is the same however often it is asked', async (api) => {
    const job = await api.submit(jobOf([hold('a')]));
    const first = await api.post(`/v1/jobs/${job}/cancel`, { reason: 'no longer wanted' });
    expect([first.status, await body(first)]).toMatchObject([202, { id: job, status: 'stopping' }]);
    const again = await Promise.all([1, 2, 3].map(() => api.post(`/v1/jobs/${job}/cancel`)));
    expect(again.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(await api.ended(job)).toMatchObject({ status: 'cancelled', end_reason: 'cancelled' });
    const late = await api.post(`/v1/jobs/${job}/cancel`);
    expect([late.status, await body(late)]).toMatchObject([202, { status: 'cancelled' }]);
  });

  story('refuses fields that it does not know', async (api) => {
    const job = await api.submit(jobOf([hold('a')]));
    const response = await api.post(`/v1/jobs/${job}/cancel`, '{\n"reson": "typo"}');
    expect([response.status, await body(response)]).toMatchObject([
      400,
      { code: 'invalid_body', errors: [{ path: ['reson'], line: 2 }] },
    ]);
  });
});

describe('every route', () => {
  story(
    'answers 404 alike for a job that is not there, that is another tenant’s, and that cannot be',
    async (api) => {
      const job = await api.submit(jobOf([hold('a')]));
      const theirs = await api.open({ tenant: `${tenant}-2` as typeof tenant });
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/events'],
        ['GET', '/tasks/a'],
        ['GET', '/tasks/a/messages'],
        ['GET', '/journal'],
        ['GET', '/why'],
        ['GET', '/artifacts'],
        ['GET', `/artifacts/${'0'.repeat(64)}`],
        ['POST', '/cancel'],
        ['POST', '/inputs/a.1.0'],
      ] as const) {
        const init = { method, headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } };
        const foreign = await theirs(new Request(`${origin}/v1/jobs/${job}${path}`, init));
        const missing = await api.app(new Request(`${origin}/v1/jobs/j-none${path}`, init));
        const impossible = await api.app(
          new Request(`${origin}/v1/jobs/${encodeURIComponent('a b/..')}${path}`, init),
        );
        expect([foreign.status, missing.status, impossible.status]).toEqual([404, 404, 404]);
        const said = await foreign.text();
        expect(await missing.text()).toBe(said);
        expect(await impossible.text()).toBe(said);
        expect(JSON.parse(said)).toMatchObject({
          code: 'not_found',
          retryable: false,
          trace_id: 'a'.repeat(32),
          errors: [],
        });
      }
      expect(await body(await api.get(`/v1/jobs/${job}`))).toMatchObject({ status: 'running' });
    },
  );

  story('has one shape of error, also where there is no route or method', async (api) => {
    const nowhere = await api.get('/v2/jobs');
    expect([nowhere.status, nowhere.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    const method = await api.app(new Request(`${origin}/v1/jobs/j-1`, { method: 'DELETE' }));
    expect([method.status, method.headers.get('allow'), (await body(method)).code]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      'method_not_allowed',
    ]);
  });

  story('is closed to pages of another origin, and to names that are not its own', async (api) => {
    const app = await api.open({ hosts: ['127.0.0.1', 'localhost'] });
    const ask = (url: string, from?: string) =>
      app(new Request(url, { headers: from === undefined ? {} : { origin: from } }));
    expect((await ask('http://localhost:8080/v1/jobs')).status).toBe(200);
    expect((await ask(`${origin}/v1/jobs`, origin)).status).toBe(200);
    for (const [url, from] of [
      [`${origin}/v1/jobs`, 'http://evil.example'],
      [`${origin}/v1/jobs`, 'http://127.0.0.1:3000'],
      [`${origin}/v1/jobs`, 'null'],
      ['http://evil.example:8080/v1/jobs', 'http://evil.example:8080'],
      ['http://evil.example:8080/v1/jobs', undefined],
    ] as const)
      expect((await ask(url, from)).status).toBe(403);
  });

  story(
    'says 500 and nothing more where this side is wrong',
    async (api) => {
      const response = await api.get('/v1/jobs/j-1');
      expect([response.status, await body(response)]).toEqual([
        500,
        {
          type: 'urn:foldmesh:problem:defect',
          title: 'Something is wrong on this side',
          status: 500,
          code: 'defect',
          retryable: false,
          trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
          errors: [],
        },
      ]);
    },
    {
      ports: (ports) => ({
        ...ports,
        journal: { ...ports.journal, last: () => Promise.reject(new Error('secret')) },
      }),
    },
  );

  story(
    'says 503 and when to ask again where a store is away',
    async (api) => {
      const response = await api.get('/v1/jobs');
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await body(response)).toMatchObject({ code: 'unavailable', retryable: true });
    },
    { ports: indexAway },
  );
});

function indexAway(ports: Ports): Ports {
  const away = async () => fail(fault('unavailable', 'the index is away', { retry_after_ms: 100 }));
  return { ...ports, index: { ...ports.index, list: away } };
}

describe('health', () => {
  story('is live and ready', async (api) => {
    expect((await api.get('/livez')).status).toBe(200);
    const ready = await api.get('/readyz');
    expect([ready.status, await body(ready)]).toEqual([200, { status: 'ready', durability: 'process' }]);
  });

  story(
    'is not ready while a port is away, and lives',
    async (api) => {
      const ready = await api.get('/readyz');
      expect([ready.status, await body(ready)]).toMatchObject([
        503,
        { code: 'not_ready', errors: [{ path: ['index'], message: 'the index is away' }] },
      ]);
      expect((await api.get('/livez')).status).toBe(200);
    },
    { ports: indexAway },
  );

  story(
    'does not wait for ever for a port that says nothing',
    async (api) => {
      const ready = await api.get('/readyz');
      expect([ready.status, await body(ready)]).toMatchObject([503, { errors: [{ path: ['inbox'] }] }]);
    },
    {
      ports: (ports) => ({
        ...ports,
        inbox: { ...ports.inbox, generation: () => new Promise(() => undefined) },
      }),
    },
  );

  story('is not ready while draining, and takes nothing new', async (api) => {
    api.drain();
    expect((await api.get('/livez')).status).toBe(200);
    const ready = await api.get('/readyz');
    expect([ready.status, await body(ready)]).toMatchObject([503, { errors: [{ path: ['process'] }] }]);
    const response = await api.post('/v1/jobs', jobOf([echo('a')]));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  });
});
