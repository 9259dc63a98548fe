import { indexSubject, JobId } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { type Answer, body, echo, hold, jobOf, stories, type TestApi, tenant } from './testing/test-api.ts';

const story = stories(it);

const named = (api: TestApi, name: string) => api.submit(jobOf([hold('a')], { name }));

const idsOf = (api: TestApi) => async (query: string) =>
  (await body(await api.get(`/v1/jobs?${query}`))).jobs.map(({ id }: Answer) => id).toSorted();

describe('GET /v1/jobs', () => {
  story('finds jobs by their name, whole or its beginning', async (api) => {
    const [one, two, three] = [
      await named(api, 'nightly'),
      await named(api, 'nightly-audit'),
      await named(api, 'weekly'),
    ];
    await api.clock.sleep(100);
    const ids = idsOf(api);
    expect(await ids('name=nightly')).toEqual([one]);
    expect(await ids('name=nightly*')).toEqual([one, two].toSorted());
    expect(await ids('name=*')).toEqual([one, two, three].toSorted());
    expect(await ids('name=daily*')).toEqual([]);
    expect((await api.get('/v1/jobs?name=a*b')).status).toBe(400);
  });

  story('shows a job in the words of a newer manager, beside the others', async (api) => {
    const mine = await named(api, 'n');
    const later = { status: 'haunted', wait: { reason: 'moonrise', since: 1 } };
    const subject = indexSubject({ tenant, job: JobId.parse('j-later') });
    await api.ports.index.put(subject, { name: 'n', ended: false, position: 1, created_at: 1, ...later });
    await api.clock.sleep(100);
    const { jobs } = await body(await api.get('/v1/jobs'));
    expect(jobs).toMatchObject([{ id: mine }, { id: 'j-later', ...later }]);
  });

  story('says of a job that completed all the same without how many of its tasks', async (api) => {
    const tasks = [echo('a'), { id: 'b', skill: 'test.refuse', on_failure: 'skip' }];
    const [whole, lacking, failed] = [
      await api.submit(jobOf([echo('a')])),
      await api.submit(jobOf([...tasks, { ...echo('c'), depends_on: ['b'] }])),
      await api.submit(jobOf([{ id: 'b', skill: 'test.refuse' }])),
    ];
    for (const job of [whole, lacking, failed]) await api.ended(job);
    await api.clock.sleep(100);
    const { jobs } = await body(await api.get('/v1/jobs'));
    const gaps = new Map(jobs.map(({ id, gaps }: Answer) => [id, gaps]));
    expect([whole, lacking, failed].map((job) => gaps.get(job))).toEqual([undefined, 2, undefined]);
  });

  story('finds jobs by their age, and spans that meet have each job once', async (api) => {
    const first = await named(api, 'n');
    await api.clock.sleep(1_000);
    const between = api.clock.now();
    const second = await named(api, 'n');
    await api.clock.sleep(100);
    const ids = idsOf(api);
    expect(await ids(`created_before=${between}`)).toEqual([first]);
    expect(await ids(`created_after=${between}`)).toEqual([second]);
    const iso = encodeURIComponent(new Date(between).toISOString());
    expect(await ids(`created_after=${iso}`)).toEqual([second]);
    expect(await ids(`created_before=${iso}`)).toEqual([first]);
    for (const wrong of ['yesterday', '2026-01-01', '-1', '1e3'])
      expect([wrong, (await api.get(`/v1/jobs?created_after=${wrong}`)).status]).toEqual([wrong, 400]);
  });

  story('finds jobs by what they wait for, and says it', async (api) => {
    const [calling, asking, ended] = [
      await api.submit(jobOf([hold('a')])),
      await api.submit(jobOf([{ id: 'a', agent: 'test-asker', input: {} }])),
      await api.submit(jobOf([echo('a')])),
    ];
    await api.ended(ended);
    await api.clock.sleep(1_000);
    const ids = idsOf(api);
    expect(await ids('wait=call')).toEqual([calling]);
    expect(await ids('wait=answer')).toEqual([asking]);
    expect(await ids('wait=call&wait=answer')).toEqual([calling, asking].toSorted());
    expect(await ids('wait=budget')).toEqual([]);
    const { jobs } = await body(await api.get('/v1/jobs?wait=answer'));
    expect(jobs[0].wait).toMatchObject({
      reason: 'answer',
      on: expect.any(String),
      since: expect.any(Number),
    });
    expect((await body(await api.get(`/v1/jobs/${asking}`))).wait).toEqual(jobs[0].wait);
    expect(await body(await api.get(`/v1/jobs/${ended}`))).not.toHaveProperty('wait');
  });

  story('finds a job by any label that it may carry', async (api) => {
    const labels = { 'a=b': 'c', '': 'x', ['n'.repeat(63)]: 'v'.repeat(256), toString: '' };
    const job = await api.submit(jobOf([hold('a')], { labels }));
    await api.clock.sleep(100);
    const ids = idsOf(api);
    for (const [name, value] of Object.entries(labels))
      expect([name, await ids(`label=${encodeURIComponent(`${name}=${value}`)}`)]).toEqual([name, [job]]);
    for (const other of ['a=', 'constructor=', 'b=c']) expect(await ids(`label=${other}`)).toEqual([]);
  });

  story('holds all that is asked for together', async (api) => {
    const job = await api.submit(jobOf([hold('a')], { name: 'n', labels: { team: 'x' } }));
    await api.submit(jobOf([hold('a')], { name: 'm', labels: { team: 'x' } }));
    await api.clock.sleep(100);
    expect(await idsOf(api)('name=n*&label=team=x&status=running&wait=call')).toEqual([job]);
  });
});
