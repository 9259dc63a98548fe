import { describe, expect, it } from 'vitest';
import { type Answer, body, echo, jobOf, stories, tenant } from './testing/test-api.ts';

const story = stories(it);

const store = (id: string, input: string) => ({ id, skill: 'test.store', input });

describe('GET /v1/jobs/{id}/artifacts', () => {
  story('lists what tasks have made and the record only refers to, in pages', async (api) => {
    const job = await api.submit(
      jobOf([store('a', 'one'), echo('b'), store('c', 'two'), store('d', 'three')]),
    );
    await api.ended(job);
    const { artifacts, next } = await body(await api.get(`/v1/jobs/${job}/artifacts`));
    expect(next).toBeUndefined();
    expect(artifacts).toMatchObject([
      { name: 'tasks.a.output', task: 'a', bytes: 5, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { name: 'tasks.c.output' },
      { name: 'tasks.d.output' },
    ]);
    const paged: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: Answer = await body(
        await api.get(`/v1/jobs/${job}/artifacts?limit=2${after === '' ? '' : `&after=${after}`}`),
      );
      paged.push(...page.artifacts.map(({ task }: Answer) => task));
      after = page.next;
    }
    expect(paged).toEqual(['a', 'c', 'd']);
  });

  story('hands out the content once: who has it is told so', async (api) => {
    const job = await api.submit(jobOf([store('a', 'one')]));
    await api.ended(job);
    const { artifacts } = await body(await api.get(`/v1/jobs/${job}/artifacts`));
    const [{ href, digest }] = artifacts;
    const first = await api.get(href);
    expect([first.status, first.headers.get('content-type'), await first.text()]).toEqual([
      200,
      'application/json',
      '"one"',
    ]);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toBe(`"${digest}"`);
    expect(first.headers.get('cache-control')).toContain('immutable');
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await api.get(href, { 'if-none-match': known });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await api.get(href, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  story('hands out nothing else that lies in the store, nor another tenant’s', async (api) => {
    const job = await api.submit(jobOf([store('a', 'one')]));
    const other = await api.submit(jobOf([echo('a')]));
    await api.ended(job);
    await api.ended(other);
    const { artifacts } = await body(await api.get(`/v1/jobs/${job}/artifacts`));
    const [{ digest, href }] = artifacts;
    const theirs = await api.open({ tenant: `${tenant}-2` as typeof tenant });
    expect((await theirs(new Request(`http://127.0.0.1:8080${href}`))).status).toBe(404);
    expect((await api.get(`/v1/jobs/${other}/artifacts/${digest}`)).status).toBe(404);
    const hidden = await api.ports.blobs.put(tenant, job as never, new TextEncoder().encode('1')); // the id of a job that there is
    const name = hidden.ok ? hidden.value.digest : '';
    expect((await api.get(`/v1/jobs/${job}/artifacts/${name}`)).status).toBe(404);
    expect((await api.get(`/v1/jobs/${job}/artifacts/..`)).status).toBe(404);
  });
});
