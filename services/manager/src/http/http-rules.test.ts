import { apiLimits } from '@foldmesh/client';
import { limits } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { accepts } from './acceptable.ts';
import { type Answer, body, echo, hold, jobOf, origin, stories, type TestApi } from './testing/test-api.ts';

const story = stories(it);

const ask = (api: TestApi, method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  api.app(new Request(`${origin}${path}`, { method, headers }));

/** Every problem is told in one form, whatever it is about. */
const problemOf = async (response: Response): Promise<Answer> => {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  return body(response);
};

describe('the rules of HTTP', () => {
  story('HEAD says what GET would, and nothing more', async (api) => {
    const job = await api.submit(jobOf([hold('a')]));
    for (const path of ['/v1/jobs', `/v1/jobs/${job}`, `/v1/jobs/${job}/events`, '/livez', '/openapi.json']) {
      const [got, head] = [await api.get(path), await ask(api, 'HEAD', path)];
      expect([path, head.status, head.headers.get('content-type')]).toEqual([
        path,
        200,
        got.headers.get('content-type'),
      ]);
      expect(await head.text()).toBe('');
      await got.body?.cancel();
    }
    expect((await ask(api, 'HEAD', '/v1/jobs/j-none')).status).toBe(404);
  });

  story('OPTIONS says what one may do, and opens nothing to other origins', async (api) => {
    for (const [path, allow] of [
      ['/v1/jobs', 'GET, HEAD, OPTIONS, POST'],
      ['/v1/jobs/j-1', 'GET, HEAD, OPTIONS'],
      ['/v1/jobs/j-1/cancel', 'OPTIONS, POST'],
      ['/livez', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const response = await ask(api, 'OPTIONS', path, { 'access-control-request-method': 'GET' });
      expect([path, response.status, response.headers.get('allow')]).toEqual([path, 204, allow]);
      const cors = [...response.headers.keys()].filter((name) => name.startsWith('access-control'));
      expect(cors).toEqual([]);
    }
  });

  story('what is not there, or not allowed, is a problem with a code', async (api) => {
    for (const [method, path, status, code] of [
      ['GET', '/', 404, 'not_found'],
      ['GET', '/v1', 404, 'not_found'],
      ['GET', '/v1/jobs/', 404, 'not_found'],
      ['PUT', '/v1/jobs', 405, 'method_not_allowed'],
      ['GET', '/v1/plan', 405, 'method_not_allowed'],
      ['POST', '/openapi.json', 405, 'method_not_allowed'],
    ] as const) {
      const response = await ask(api, method, path);
      expect([method, path, response.status]).toEqual([method, path, status]);
      expect(await problemOf(response)).toMatchObject({ code, status, retryable: false, errors: [] });
    }
  });

  story('who takes none of the types that there are is told so', async (api) => {
    const job = await api.submit(jobOf([echo('a')]));
    const html = await api.get(`/v1/jobs/${job}`, { accept: 'text/html' });
    expect([html.status, (await problemOf(html)).code]).toEqual([406, 'not_acceptable']);
    const json = await api.get(`/v1/jobs/${job}/events`, { accept: 'application/json' });
    expect(json.status).toBe(406);
    expect((await api.get(`/v1/jobs/${job}`, { accept: 'text/html, */*;q=0.1' })).status).toBe(200);
  });

  story('a body of a foreign kind is not looked at', async (api) => {
    const job = jobOf([echo('a')]);
    for (const headers of [
      { 'content-type': 'application/xml' },
      { 'content-type': 'application/json; charset=latin1' },
      { 'content-type': 'application/json; charset=utf-8; charset=utf-16' },
      { 'content-type': 'application/json, text/html' },
      { 'content-type': 'application/cbor' },
      { 'content-type': 'text/csv' },
      { 'content-type': 'application/jsonp' },
      { 'content-type': 'json' },
      { 'content-encoding': 'identity, br' },
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    ])
      for (const path of ['/v1/jobs', '/v1/plan']) {
        const response = await api.post(path, job, headers);
        expect([response.status, (await problemOf(response)).code]).toEqual([415, 'unsupported_type']);
      }
    for (const headers of [
      { 'content-type': 'application/json; charset="UTF-8"' },
      { 'content-type': 'Application/Vnd.Api+JSON;version=2' },
      { 'content-type': 'application/x-yaml' },
      { 'content-type': 'text/plain;charset=UTF-8' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-encoding': '' },
    ])
      expect([headers, (await api.post('/v1/plan', job, headers)).status]).toEqual([headers, 200]);
  });

  story('a body that is too large, too deep, or no JSON says where', async (api) => {
    const large = await api.post('/v1/plan', 'x'.repeat(limits.bodyBytesMax + 1));
    expect([large.status, (await problemOf(large)).code]).toEqual([413, 'too_large']);
    const deep = await api.post(
      '/v1/plan',
      `{"name": "n", "inputs": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    );
    expect(await problemOf(deep)).toMatchObject({
      status: 400,
      errors: [{ message: expect.stringContaining('nest') }],
    });
    const broken = await api.post('/v1/plan', '{"name": "x",\n "plan": [}');
    expect(await problemOf(broken)).toMatchObject({
      code: 'invalid_body',
      errors: expect.arrayContaining([{ path: [], line: 2, column: 11, message: expect.any(String) }]),
    });
  });

  story('YAML may have less than JSON, because to read it takes the time of everybody', async (api) => {
    const filler = `#${' '.repeat(apiLimits.yamlBytesMax)}\n`;
    const yaml = await api.post('/v1/plan', `${filler}name: n\nplan: { tasks: [] }\n`);
    expect(await problemOf(yaml)).toMatchObject({
      status: 413,
      code: 'too_large',
      detail: expect.stringContaining('JSON'),
    });
    const json = await api.post(
      '/v1/plan',
      `${' '.repeat(apiLimits.yamlBytesMax)}{"name":"n","plan":{"tasks":[]}}`,
    );
    expect(json.status).toBe(200);
    for (const broken of ['{"name": x}', '{"name": "n"', '[1, 2'])
      expect(
        await problemOf(await api.post('/v1/plan', `${' '.repeat(apiLimits.yamlBytesMax)}${broken}`)),
      ).toMatchObject({
        status: 400,
        code: 'invalid_body',
        errors: [{ line: 1 }],
      });
  });

  story('of very much that is wrong the first is told, and how much more there is', async (api) => {
    const names = Array.from({ length: 5_000 }, (_, at) => `"k${at}":1`);
    const { errors } = await problemOf(
      await api.post('/v1/plan', `{"name":"n","plan":{"tasks":[]},${names.join()}}`),
    );
    expect(errors).toHaveLength(apiLimits.errorsMax + 1);
    expect(errors.at(-1)).toEqual({ path: [], message: `and ${5_000 - apiLimits.errorsMax} more` });
    const long = await api.post('/v1/plan', `{"name":"n","plan":{"tasks":[]},"${'k'.repeat(1_000_000)}":1}`);
    expect((await long.text()).length).toBeLessThan(10_000);
    const asked = await api.get(`/v1/jobs?${Array.from({ length: 500 }, (_, at) => `k${at}`).join('&')}`);
    expect((await problemOf(asked)).errors).toHaveLength(apiLimits.errorsMax + 1);
  });

  story('a whole number that would be rounded is an error, not another number', async (api) => {
    const planned = async (n: string): Promise<readonly number[]> =>
      Promise.all(
        [
          `{"name":"n","inputs":{"n":${n}},"plan":{"tasks":[]}}`,
          `name: n\ninputs: {n: ${n}}\nplan: {tasks: []}`,
        ].map(async (job) => (await api.post('/v1/plan', job)).status),
      );
    for (const exact of ['9007199254740991', '-9007199254740991', '9007199254740992', '"9007199254740993"'])
      expect([exact, await planned(exact)]).toEqual([exact, [200, 200]]);
    for (const rounded of ['9007199254740993', '-9007199254740993', '12345678901234567890'])
      expect([rounded, await planned(rounded)]).toEqual([rounded, [400, 400]]);
  });

  story('a parameter that nobody knows, or that stands there twice, is an error by name', async (api) => {
    const job = await api.submit(jobOf([echo('a')]));
    for (const [path, name] of [
      ['/v1/jobs?colour=red', 'colour'],
      ['/v1/jobs?limit=1&limit=2', 'limit'],
      [`/v1/jobs/${job}?verbose=1`, 'verbose'],
      [`/v1/jobs/${job}/journal?at=-1`, 'at'],
      ['/v1/catalogue?x', 'x'],
    ] as const) {
      const said = await problemOf(await api.get(path));
      expect([path, said]).toMatchObject([path, { code: 'invalid_query', errors: [{ path: [name] }] }]);
    }
  });

  story('every answer says its trace: the caller’s, or a new one', async (api) => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    for (const path of ['/v1/jobs', '/v1/jobs/j-none', '/nowhere', '/livez']) {
      const kept = await api.get(path, { traceparent });
      expect(kept.headers.get('traceparent')).toBe(traceparent);
      const fresh = (await api.get(path)).headers.get('traceparent');
      expect(fresh).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
      expect(fresh).not.toContain('a'.repeat(32));
    }
    const missing = await api.get('/v1/jobs/j-none');
    expect(missing.headers.get('traceparent')).toContain((await problemOf(missing)).trace_id);
  });

  story('what a job says is kept by nobody', async (api) => {
    const job = await api.submit(jobOf([echo('a')]));
    for (const path of ['/v1/jobs', `/v1/jobs/${job}`, `/v1/jobs/${job}/journal`, '/v1/jobs/j-none'])
      expect((await api.get(path)).headers.get('cache-control')).toBe('no-store');
    expect((await api.get('/v1/jobs')).headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('Accept', () => {
  it('is met by the most exact range that fits', () => {
    for (const [header, met] of [
      [null, true],
      ['', true],
      ['*/*', true],
      ['application/*', true],
      ['text/html, application/json;q=0.5', true],
      ['text/html', false],
      ['application/json;q=0, */*', false],
      ['application/*;q=0', false],
      ['TEXT/HTML, Application/JSON', true],
    ] as const)
      expect([header, accepts(header, 'application/json')]).toEqual([header, met]);
  });
});
