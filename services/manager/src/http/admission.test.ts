import { catalogueSubject, ok, PoolName } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import { describe, expect, it } from 'vitest';
import { body, echo, jobOf, stories, type TestApi } from './testing/test-api.ts';

const story = stories(it);

const away = PoolName.parse('away');
const awayJob = jobOf([{ id: 'a', skill: 'test.away', input: {} }]);

/** A pool that has offered something once and that nobody is at: what is sent there waits. */
const offerAway = async ({ ports, clock }: TestApi): Promise<void> => {
  await ports.index.put(catalogueSubject('worker', away), {
    service: 'worker',
    pool: away,
    slots: 1,
    offers: [{ kind: 'skill', name: 'test.away', digest: 'e'.repeat(64) }],
  });
  await clock.sleep(2_000);
};

describe('a job whose pool is at its limit', () => {
  story(
    'is turned away at once with 429 and Retry-After, and has left nothing behind',
    async (api) => {
      await offerAway(api);
      const asked = api.clock.now();
      const answers = await Promise.all(Array.from({ length: 30 }, () => api.post('/v1/jobs', awayJob)));
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 202)).toHaveLength(10);
      expect(statuses.filter((status) => status === 429)).toHaveLength(20);
      expect(api.clock.now() - asked).toBeLessThan(1_000);
      const refused = answers.find(({ status }) => status === 429);
      expect(refused?.headers.get('retry-after')).toBe('2');
      expect(refused?.headers.get('ratelimit')).toBe('"throttled";r=0;t=2');
      expect(refused && (await body(refused))).toMatchObject({
        code: 'throttled',
        retryable: true,
        detail: '10 messages wait for pool away, the limit is 10',
      });
      await api.clock.sleep(1_000);
      expect((await body(await api.get('/v1/jobs'))).jobs).toHaveLength(10);
    },
    { admission: { backlogMax: 10 } },
  );

  story(
    'holds up no job of another pool',
    async (api) => {
      await offerAway(api);
      await api.post('/v1/jobs', awayJob);
      expect((await api.post('/v1/jobs', awayJob)).status).toBe(429);
      const job = await api.submit(jobOf([echo('a')]));
      expect((await api.ended(job)).status).toBe('completed');
    },
    { admission: { backlogMax: 1 } },
  );

  story(
    'comes in under the same key once there is room, though the broker has just seen it',
    async (api) => {
      await offerAway(api);
      const { id } = await body(await api.post('/v1/jobs', awayJob));
      const headers = { 'idempotency-key': 'k' };
      expect((await api.post('/v1/jobs', awayJob, headers)).status).toBe(429);
      await api.post(`/v1/jobs/${id}/cancel`);
      await api.ended(id);
      await api.clock.sleep(1_000);
      expect((await api.post('/v1/jobs', awayJob, headers)).status).toBe(202);
    },
    { admission: { backlogMax: 1 } },
  );

  story(
    'is no new job when it has been accepted before: the same key gives the same answer, full or not',
    async (api) => {
      await offerAway(api);
      const headers = { 'idempotency-key': 'k' };
      const first = await body(await api.post('/v1/jobs', awayJob, headers));
      expect((await api.post('/v1/jobs', awayJob)).status).toBe(429);
      const again = await api.post('/v1/jobs', awayJob, headers);
      expect([again.status, await body(again)]).toEqual([202, first]);
    },
    { admission: { backlogMax: 1 } },
  );
});

const nearlyFull = (ports: Ports): Ports => ({
  ...ports,
  bus: { ...ports.bus, filled: async () => ok({ share: 0.81, of: 'MESH_JOURNAL' }) },
});

story(
  'the door closes while there is still room for what was accepted',
  async (api) => {
    const refused = await api.post('/v1/jobs', jobOf([echo('a')]));
    expect([refused.status, (await body(refused)).detail]).toEqual([
      429,
      "the journal's stores are 81 % full",
    ]);
  },
  { managerPorts: nearlyFull },
);
