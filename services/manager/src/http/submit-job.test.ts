import { embedded, seededRandom, virtualClock } from '@foldmesh/embedded';
import { catalogueSubject, fail, fault, limits, PoolName } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { catalogueView } from '../catalogue-view.ts';
import { hear } from './testing/frames.ts';
import { body, echo, hold, jobOf, origin, stories, tenant } from './testing/test-api.ts';

const story = stories(it);

describe('POST /v1/jobs', () => {
  story('answers 202 with the place of the job when its first entry is there', async (api) => {
    const response = await api.post('/v1/jobs', jobOf([echo('a')]));
    expect(response.status).toBe(202);
    const { id, status, links } = await body(response);
    expect(status).toBe('running');
    expect(response.headers.get('location')).toBe(`/v1/jobs/${id}`);
    expect(links).toEqual({ self: `/v1/jobs/${id}`, events: `/v1/jobs/${id}/events` });
    expect(await api.ended(id)).toMatchObject({ id, status: 'completed', result: { said: 'a' } });
  });

  story('takes YAML, by its type and by its looks', async (api) => {
    const yaml = 'name: y\nplan:\n  tasks:\n    - { id: a, skill: test.echo, input: 1 }\n';
    for (const type of ['application/yaml', 'text/plain', 'application/x-www-form-urlencoded'])
      expect((await api.post('/v1/jobs', yaml, { 'content-type': type })).status).toBe(202);
    const foreign = await api.post('/v1/jobs', yaml, { 'content-type': 'multipart/form-data; boundary=x' });
    expect(foreign.status).toBe(415);
  });

  story('carries the trace of the request on', async (api) => {
    const trace = 'a'.repeat(32);
    const traceparent = `00-${trace}-${'b'.repeat(16)}-01`;
    const { id } = await body(await api.post('/v1/jobs', jobOf([echo('a')]), { traceparent }));
    expect(await api.ended(id)).toMatchObject({ trace_id: trace });
  });

  story('names everything that is wrong, with its line, and publishes nothing', async (api) => {
    const yaml =
      'name: y\nplan:\n  tasks:\n    - id: a\n      skil: test.echo\n    - id: b\n      skill: no.such\n';
    const response = await api.post('/v1/jobs', yaml, {
      traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`,
    });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const said = await body(response);
    expect(said).toMatchObject({
      type: 'urn:foldmesh:problem:invalid_job',
      code: 'invalid_job',
      status: 400,
      retryable: false,
      trace_id: 'c'.repeat(32),
    });
    expect(said.errors).toContainEqual({
      path: ['plan', 'tasks', 0, 'skil'],
      message: expect.stringContaining('skil'),
      line: 5,
    });
    expect(await body(await api.get('/v1/jobs'))).toEqual({ jobs: [] });
    const unknown = await body(await api.post('/v1/jobs', jobOf([{ id: 'b', skill: 'no.such' }])));
    expect(unknown.errors).toMatchObject([{ path: ['plan', 'tasks', 0, 'skill'], line: 1 }]);
  });

  story('does not say that nobody offers it where nobody can say who offers what', async (api) => {
    const away = fault('unavailable', 'the index is away', { retry_after_ms: 100 });
    const index = { ...api.ports.index, list: async () => fail(away) };
    const app = await api.open({ catalogue: catalogueView({ ...api.ports, index }) });
    const answered = async (job: unknown) => {
      const request = new Request(`${origin}/v1/jobs`, { method: 'POST', body: JSON.stringify(job) });
      const { status, code, retryable } = await body(await app(request));
      return [status, code, retryable];
    };
    expect(await answered(jobOf([echo('a')]))).toEqual([503, 'unavailable', true]);
    expect(await answered({ name: 'x', goals: 'x', plan: { tasks: [echo('a')] } })).toEqual([
      400,
      'invalid_job',
      false,
    ]);
  });

  story('refuses what is too large, no text, or broken', async (api) => {
    const large = await api.post('/v1/jobs', 'x'.repeat(limits.bodyBytesMax + 1));
    expect([large.status, (await body(large)).code]).toEqual([413, 'too_large']);
    const lying = await api.post('/v1/jobs', 'x', { 'content-length': String(limits.bodyBytesMax + 1) });
    expect(lying.status).toBe(413);
    const broken = await api.post('/v1/jobs', '{"name": "x",\n "plan": [}');
    expect(broken.status).toBe(400);
    expect((await body(broken)).errors[0]).toMatchObject({ line: 2, message: expect.any(String) });
    const bytes = { method: 'POST', body: new Uint8Array([0x22, 0xff, 0x22]) };
    const binary = await body(await api.app(new Request(`${origin}/v1/jobs`, bytes)));
    expect(binary).toMatchObject({ code: 'invalid_body', errors: [{ message: 'it is not UTF-8' }] });
    const half = await api.post('/v1/jobs', '{"name": "\\ud83d"}');
    expect([half.status, (await body(half)).errors]).toMatchObject([
      400,
      [{ line: 1, message: expect.stringContaining('half a character') }],
    ]);
    const empty = await api.post('/v1/jobs');
    expect([empty.status, (await body(empty)).code]).toEqual([400, 'invalid_job']);
  });

  story('knows what a pool began to offer only now', async (api) => {
    const late = jobOf([{ id: 'a', skill: 'test.late', input: {} }]);
    expect((await api.post('/v1/jobs', late)).status).toBe(400);
    // The manager has read the catalogue a moment ago, and must not refuse what the door has just let pass.
    await api.ports.index.put(catalogueSubject('worker', PoolName.parse('late')), {
      service: 'worker',
      pool: 'late',
      slots: 1,
      offers: [{ kind: 'skill', name: 'test.late', digest: 'e'.repeat(64) }],
    });
    expect((await api.post('/v1/jobs', late)).status).toBe(202);
  });

  story(
    'says 503 with the id of the job when no manager takes it, and the same job is there later',
    async (api) => {
      const headers = { 'idempotency-key': '"once"' };
      const before = api.clock.now();
      const response = await api.post('/v1/jobs', jobOf([echo('a')]), headers);
      expect(api.clock.now() - before).toBe(5_000);
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
      const { job, retryable } = await body(response);
      expect(retryable).toBe(true);
      await api.startManager();
      const again = await api.post('/v1/jobs', jobOf([echo('a')]), headers);
      expect([again.status, (await body(again)).id]).toEqual([202, job]);
    },
    { manager: false },
  );
});

describe('Idempotency-Key', () => {
  story('makes one job of 20 requests at once', async (api) => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () =>
        api.post('/v1/jobs', jobOf([echo('a')]), { 'idempotency-key': 'k-1' }),
      ),
    );
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 202));
    const bodies = await Promise.all(all.map((response) => response.text()));
    expect(new Set(bodies).size).toBe(1);
    await api.clock.sleep(1_000);
    expect((await body(await api.get('/v1/jobs'))).jobs).toHaveLength(1);
  });

  story(
    'is the same quoted and bare, for the same body however it is written, for as long as the job is there',
    async (api) => {
      const first = await api.post(
        '/v1/jobs',
        '{"name":"n","plan":{"tasks":[{"id":"a","skill":"test.echo","input":1}]}}',
        {
          'idempotency-key': '"k"',
        },
      );
      const said = await first.text();
      await api.ended(JSON.parse(said).id);
      await api.clock.sleep(60_000);
      const yaml = 'plan: { tasks: [{ skill: test.echo, input: 1, id: a }] }\nname: n\n';
      const again = await api.post('/v1/jobs', yaml, { 'idempotency-key': 'k' });
      expect([again.status, await again.text()]).toEqual([202, said]);
    },
  );

  story('met with another body is an error, and leaves the first job alone', async (api) => {
    const headers = { 'idempotency-key': 'k' };
    const { id } = await body(await api.post('/v1/jobs', jobOf([hold('a')]), headers));
    const other = await api.post('/v1/jobs', jobOf([echo('b')]), headers);
    expect([other.status, await body(other)]).toMatchObject([422, { code: 'key_reused', job: id }]);
    expect((await body(await api.get('/v1/jobs'))).jobs).toHaveLength(1);
  });

  story('is the same job at every door, also at one that was opened later', async (api) => {
    const headers = { 'idempotency-key': 'k' };
    const { id } = await body(await api.post('/v1/jobs', jobOf([echo('a')]), headers));
    await api.ended(id);
    const later = await api.open({});
    const init = { method: 'POST', headers, body: JSON.stringify(jobOf([echo('a')])) };
    const again = await later(new Request(`${origin}/v1/jobs`, init));
    expect([again.status, (await body(again)).id]).toEqual([202, id]);
  });

  story('is each tenant’s own', async (api) => {
    const headers = { 'idempotency-key': 'k' };
    const { id } = await body(await api.post('/v1/jobs', jobOf([echo('a')]), headers));
    const theirs = await api.open({ tenant: `${tenant}-2` as typeof tenant });
    const request = new Request('http://127.0.0.1:8080/v1/jobs', {
      method: 'POST',
      headers,
      body: JSON.stringify(jobOf([echo('a')])),
    });
    expect((await body(await theirs(request))).id).not.toBe(id);
  });

  story('remembers nothing of what was not accepted', async (api) => {
    const headers = { 'idempotency-key': 'k' };
    expect((await api.post('/v1/jobs', { name: 'n' }, headers)).status).toBe(400);
    expect((await api.post('/v1/jobs', jobOf([echo('a')]), headers)).status).toBe(202);
  });

  story('is refused when it is none', async (api) => {
    for (const key of ['""', 'x'.repeat(256), 'naïve'])
      expect((await api.post('/v1/jobs', jobOf([echo('a')]), { 'idempotency-key': key })).status).toBe(400);
  });
});

describe('with a store that delays, repeats, forgets and lies', () => {
  for (let seed = 1; seed <= 20; seed++)
    stories(it, () => faultyWorld(seed))(`a key makes one job, and it ends (seed ${seed})`, async (api) => {
      const ask = () => api.post('/v1/jobs', jobOf([echo('a')]), { 'idempotency-key': 'k' });
      const ids = new Set<string>();
      for (let round = 0; round < 3; round++)
        for (const response of await Promise.all(Array.from({ length: 5 }, ask))) {
          const said = await body(response);
          expect([202, 503]).toContain(response.status);
          ids.add(said.id ?? said.job);
        }
      expect(ids.size).toBe(1);
      const [job = ''] = ids;
      while ((await ask()).status !== 202) await api.clock.sleep(1_000);
      const path = `/v1/jobs/${job}`;
      let stream = await api.get(`${path}/events`);
      while (stream.status === 503) stream = await api.get(`${path}/events`);
      expect((await hear(stream)).frames.at(-1)?.event).toBe('job-completed');
    });
});

const faultyWorld = (seed: number) => {
  const clock = virtualClock();
  const random = seededRandom(`api/${seed}`);
  const rate = 0.1;
  const faults = {
    repeat: rate,
    delay: rate,
    reorder: rate,
    loseAck: rate,
    losePublishReply: rate,
    conflictOwn: rate,
    loseAppendReply: rate,
    unavailable: rate,
    slow: rate,
  };
  return { clock, ports: { ...embedded({ clock, random, faults }), clock, random, log: () => undefined } };
};
