import { describe, expect, it } from 'vitest';
import { type Answer, body, echo, jobOf, stories } from './testing/test-api.ts';

const story = stories(it);

describe('POST /v1/plan', () => {
  story('says what would be done, and nothing is', async (api) => {
    const response = await api.post('/v1/plan', jobOf([echo('a'), { ...echo('b'), depends_on: ['a'] }]));
    expect([response.status, await body(response)]).toMatchObject([
      200,
      {
        name: 'a-job',
        tasks: [
          { id: 'a', run: 'skill test.echo', pool: 'default', depends_on: [] },
          { id: 'b', depends_on: ['a'] },
        ],
        decision: { split: false, density: 1, reason: expect.any(String) },
        first: [['a', 'b']],
      },
    ]);
    await api.clock.sleep(1_000);
    expect(await body(await api.get('/v1/jobs'))).toEqual({ jobs: [] });
  });

  story('decides as the submit of the same job does', async (api) => {
    const job = jobOf([echo('a'), echo('b'), echo('c')], { split: 'always' });
    const { decision } = await body(await api.post('/v1/plan', job));
    const { plan } = await api.ended(await api.submit(job));
    expect(plan.decision).toMatchObject(decision);
  });

  story('refuses what a submit would, in the same words', async (api) => {
    const wrong = 'name: n\nplan:\n  tasks:\n    - { id: a, skill: no.such }\n    - { id: a, skil: b }\n';
    const [planned, submitted] = [await api.post('/v1/plan', wrong), await api.post('/v1/jobs', wrong)];
    expect([planned.status, submitted.status]).toEqual([400, 400]);
    const said = await body(planned);
    expect(said.errors.length).toBeGreaterThan(0);
    expect({ ...said, trace_id: '' }).toEqual({ ...(await body(submitted)), trace_id: '' });
  });
});

describe('GET /v1/catalogue', () => {
  story('says what the pools offer now', async (api) => {
    const { offers, pools } = await body(await api.get('/v1/catalogue'));
    expect(offers).toContainEqual({
      kind: 'skill',
      name: 'test.echo',
      pool: 'default',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(offers.map(({ kind }: Answer) => kind)).toContain('agent');
    expect(pools).toEqual([{ pool: 'default', slots: 8 }]);
  });
});
