import { describe, expect, it } from 'vitest';
import { countedReads } from './testing/counted-reads.ts';
import { type Answer, body, jobOf, origin, stories, type TestApi } from './testing/test-api.ts';

const story = stories(it);

/** A job whose agent has asked how many, and what its question is called. */
const asked = async (api: TestApi): Promise<{ readonly job: string; readonly path: string }> => {
  const job = await api.submit(jobOf([{ id: 'a', agent: 'test-asker', input: {} }]));
  for (;;) {
    const { requests }: Answer = await body(await api.get(`/v1/jobs/${job}`));
    if (requests.length > 0) return { job, path: `/v1/jobs/${job}/inputs/${requests[0].request}` };
    await api.clock.sleep(10);
  }
};

describe('POST /v1/jobs/{id}/inputs/{request}', () => {
  story('hands the answer to whoever asked', async (api) => {
    const { job, path } = await asked(api);
    expect(await body(await api.get(`/v1/jobs/${job}`))).toMatchObject({
      requests: [{ task: 'a', question: 'how many?' }],
      tasks: [{ wait: { reason: 'answer' } }],
    });
    expect((await api.post(path, { value: { n: 3 } })).status).toBe(202);
    expect(await api.ended(job)).toMatchObject({ status: 'completed', result: { n: 3 }, requests: [] });
  });

  story('names what is wrong with an answer, and waits on', async (api) => {
    const { job, path } = await asked(api);
    const response = await api.post(path, 'value:\n  n: many\n  m: 1\n');
    expect(response.status).toBe(400);
    const { code, errors } = await body(response);
    expect(code).toBe('invalid_answer');
    expect(errors).toContainEqual({ path: ['value', 'n'], message: 'must be integer', line: 2 });
    expect(errors).toContainEqual({ path: ['value'], message: expect.stringContaining('"m"'), line: 1 });
    for (const wrong of [{}, { valu: 1 }, { value: { n: 1 }, by: 'me' }, []])
      expect([wrong, (await api.post(path, wrong)).status]).toEqual([wrong, 400]);
    expect((await body(await api.get(`/v1/jobs/${job}`))).requests).toHaveLength(1);
  });

  story('takes the first of several answers', async (api) => {
    const { job, path } = await asked(api);
    const both = await Promise.all([1, 2].map((n) => api.post(path, { value: { n } })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409]);
    const first = both.findIndex(({ status }) => status === 202) + 1;
    expect(await api.ended(job)).toMatchObject({ result: { n: first } });
  });

  story('takes the same answer, sent again after all is done, for what it is', async (api) => {
    const { job, path } = await asked(api);
    expect((await api.post(path, { value: { n: 1 } })).status).toBe(202);
    await api.ended(job);
    const [again, other] = [
      await api.post(path, { value: { n: 1 } }),
      await api.post(path, { value: { n: 2 } }),
    ];
    expect([again.status, other.status, (await body(other)).code]).toEqual([202, 409, 'already_answered']);
  });

  story(
    'looks once for a question that the job has forgotten, and never for one that it has not',
    async (api) => {
      const { reads, ports } = countedReads(api.ports);
      const app = await api.open({ ports });
      const readsFor = async (path: string): Promise<readonly number[]> => {
        reads.splice(0);
        const init = { method: 'POST', body: '{"value":{"n":1}}' };
        expect((await app(new Request(`${origin}${path}`, init))).status).toBe(202);
        return reads.filter((from) => from === 0);
      };
      const { job, path } = await asked(api);
      expect(await readsFor(path)).toEqual([]);
      await api.ended(job);
      expect(await readsFor(path)).toEqual([0]);
    },
  );

  story('takes the same answer, sent twice at once, as one', async (api) => {
    const { path } = await asked(api);
    const both = await Promise.all([1, 2].map(() => api.post(path, { value: { n: 1 } })));
    expect(both.map(({ status }) => status)).toEqual([202, 202]);
  });

  story('says that it has been answered, that nobody asked, and that nobody waits any more', async (api) => {
    const { job, path } = await asked(api);
    expect((await api.post(`/v1/jobs/${job}/inputs/a.9.9`, { value: 1 })).status).toBe(404);
    await api.post(path, { value: { n: 3 } });
    const again = await api.post(path, { value: { n: 4 } });
    expect([again.status, (await body(again)).code]).toEqual([409, 'already_answered']);
    const other = await asked(api);
    await api.post(`/v1/jobs/${other.job}/cancel`);
    const late = await api.post(other.path, { value: { n: 3 } });
    expect([late.status, (await body(late)).code]).toEqual([409, 'no_longer_asked']);
  });
});
