import { encodeJson, JobId, wireIdOf } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { body, hold, jobOf, stories, type TestApi, tenant } from './testing/test-api.ts';

const story = stories(it);

/** A job that a newer manager has taken on: its journal goes on with what this build has no word for. */
const taken = async ({ ports, submit }: TestApi): Promise<string> => {
  const job = await submit(jobOf([hold('a')]));
  const entity = { tenant, job: JobId.parse(job) };
  const last = await ports.journal.last(entity);
  const expected = last.ok ? (last.value?.seq ?? 0) : 0;
  const events = [{ kind: 'tasks-retried', v: 9, tasks: [0] }];
  const entry = encodeJson({ v: 1, causes: [], at: 1, first: 3, events, tail_bytes: 0 });
  await ports.journal.append({ entity, entry, expected, id: wireIdOf('entry', job, 1, expected) });
  return job;
};

describe('a job that a newer manager has taken on', () => {
  story('is no defect of this one, which says so and when to ask again', async (api) => {
    const job = await taken(api);
    for (const path of ['', '/tasks/a', '/tasks/a/messages', '/artifacts', '/events', '/journal?task=a']) {
      const response = await api.get(`/v1/jobs/${job}${path}`);
      expect([path, response.status, response.headers.get('retry-after')]).toEqual([path, 503, '5']);
      expect(await body(response)).toMatchObject({
        code: 'build',
        retryable: true,
        job,
        detail: 'M8: a job event: v: version 9 is newer than 1, which this build reads',
      });
    }
    for (const [path, sent] of [
      ['cancel', {}],
      ['inputs/a.7.0', { value: 1 }],
    ] as const)
      expect(await body(await api.post(`/v1/jobs/${job}/${path}`, sent))).toMatchObject({
        code: 'build',
        job,
      });
  });

  story('can still be looked at, listed, and asked why it does not go on', async (api) => {
    const job = await taken(api);
    for (const path of [`/v1/jobs/${job}/journal`, `/v1/jobs/${job}/why`, '/v1/jobs'])
      expect((await api.get(path)).status).toBe(200);
  });
});
