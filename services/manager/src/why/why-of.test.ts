import { encodeJson, fail, fault, JobId, type Json, wireIdOf } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  echo,
  hold,
  jobOf,
  refuse,
  stories,
  type TestApi,
  tenant,
} from '../http/testing/test-api.ts';

const story = stories(it);

const why = async (api: TestApi, job: string): Promise<Answer> =>
  (await api.get(`/v1/jobs/${job}/why`)).json();

/** Adds an entry to a job's journal, as whoever wrote it would have. */
const append = async ({ ports, clock }: TestApi, job: string, events: readonly Json[]): Promise<void> => {
  const entity = { tenant, job: JobId.parse(job) };
  const last = await ports.journal.last(entity);
  const expected = last.ok ? (last.value?.seq ?? 0) : 0;
  const entry = encodeJson({ v: 1, causes: [], at: clock.now(), first: 100, events, tail_bytes: 1 });
  await ports.journal.append({ entity, entry, expected, id: wireIdOf('entry', 'newer', expected, 0) });
};

describe('why a job does not go on', () => {
  story('names the question, since when it is open, and how it is answered', async (api) => {
    const job = await api.submit(jobOf([{ id: 'a', agent: 'test-asker', input: {} }]));
    await api.clock.sleep(4 * 60_000);
    const { causes, status } = await why(api, job);
    const asked = causes.find(({ reason }: Answer) => reason === 'answer');
    expect(status).toBe('waiting');
    expect(asked).toMatchObject({ task: 'a', on: 'a.7.0' });
    expect(asked.text).toMatch(
      /^task a asked a person [34] min ago: how many\?; the job's time stands still/,
    );
    expect(asked.next).toContain(`POST /v1/jobs/${job}/inputs/a.7.0`);
    await api.post(`/v1/jobs/${job}/inputs/a.7.0`, { value: { n: 3 } });
    await api.ended(job);
    const after = await why(api, job);
    expect(after).toMatchObject({ status: 'completed', causes: [{ reason: 'ended', on: 'goal' }] });
  });

  story('says how it ended, and the reason where that is another word', async (api) => {
    const endedText = async (job: string): Promise<string> => {
      await api.ended(job);
      const { causes } = await why(api, job);
      expect(causes).toMatchObject([{ reason: 'ended' }]);
      return causes[0].text;
    };
    expect(await endedText(await api.submit(jobOf([echo('a')])))).toMatch(/^the job completed \(goal\) \d/);
    expect(await endedText(await api.submit(jobOf([refuse('a')])))).toMatch(
      /^the job failed \d.*: refused: /,
    );
    const late = await api.submit(jobOf([hold('a')], { budget: { wall_ms: 1_000 } }));
    expect(await endedText(late)).toMatch(/^the job failed \(deadline\) \d/);
    const left = await api.submit(jobOf([hold('a')]));
    await api.post(`/v1/jobs/${left}/cancel`, { reason: 'no longer wanted' });
    expect(await endedText(left)).toMatch(/^the job cancelled \d.*: no longer wanted/);
  });

  story('says that its time is over in a moment', async (api) => {
    const job = await api.submit(jobOf([hold('a')], { budget: { wall_ms: 50_000 } }));
    const { causes } = await why(api, job);
    expect(causes.find(({ reason }: Answer) => reason === 'timer')).toMatchObject({
      on: 'deadline',
      text: expect.stringMatching(/^the job's 50000 ms are over in \d+ s: then it stops/),
      next: 'submit it with a larger budget.wall_ms',
    });
  });

  story('says that a newer manager has written its journal, instead of failing itself', async (api) => {
    const job = await api.submit(jobOf([hold('a')]));
    await append(api, job, [{ kind: 'job-teleported', v: 1, at: 1 }]);
    const response = await api.get(`/v1/jobs/${job}/why`);
    expect(response.status).toBe(200);
    const { status, causes } = (await response.json()) as Answer;
    expect(status).toBe('running');
    expect(causes).toHaveLength(1);
    expect(causes[0]).toMatchObject({ reason: 'build', on: 'manager' });
    expect(causes[0].text).toContain(
      "this manager cannot read the job's journal, which a newer one has written",
    );
  });

  story('gives a task that is ready the reason that its record gives it', async (api) => {
    const many = Array.from({ length: 66 }, (_, n) => hold(`t${n}`));
    for (const [split, reason] of [
      ['always', 'concurrency'],
      ['never', 'no_slot'],
    ] as const) {
      const tasks = split === 'always' ? many : [hold('a'), { id: 'b', agent: 'test-asker', input: {} }];
      const job = await api.submit(jobOf(tasks, { split }));
      const record: Answer = await (await api.get(`/v1/jobs/${job}`)).json();
      const ready = record.tasks.find(({ status }: Answer) => status === 'ready');
      const { causes } = await why(api, job);
      expect([split, ready.wait.reason]).toEqual([split, reason]);
      const cause = causes.find(({ task }: Answer) => task === ready.id);
      expect(cause).toMatchObject({ reason, on: 'job', since: ready.wait.since });
    }
  });

  story('is a few causes where ten thousand tasks wait one behind the other', async (api) => {
    const tasks = Array.from({ length: 10_000 }, (_, n) => ({
      ...hold(`t${n}`),
      ...(n > 0 && { depends_on: [`t${n - 1}`] }),
    }));
    const job = await api.submit(jobOf(tasks));
    const { causes, left_out } = await why(api, job);
    expect(left_out).toBe(0);
    expect(causes.map(({ reason }: Answer) => reason)).toEqual(['call', 'dependency']);
    // One assignment has as many as fit into it; the rest waits for its last.
    const { task, count: out } = causes[0];
    expect(task).toBe('t0');
    expect(causes[1]).toMatchObject({ task: `t${out}`, on: `t${out - 1}`, count: 10_000 - out });
    expect(causes[1].text).toContain(
      `task t${out} waits for t${out - 1} (and ${10_000 - out - 1} more wait for the same): task t0`,
    );
  });

  story('knows no job that was never submitted', async (api) => {
    for (const job of ['job-9', 'no.id']) expect((await api.get(`/v1/jobs/${job}/why`)).status).toBe(404);
  });
});

describe('where the dead letters cannot be read', () => {
  const away = async () => fail(fault('unavailable', 'nats-dead is not reachable'));

  story(
    'it says so, instead of telling of none',
    async (api) => {
      const { causes } = await why(api, await api.submit(jobOf([hold('a')])));
      expect(causes.find(({ on }: Answer) => on === 'dead')).toMatchObject({
        reason: 'storage',
        text: expect.stringMatching(/^the dead letters cannot be read: .* \(nats-dead is not reachable\)$/),
      });
    },
    { ports: (ports) => ({ ...ports, dead: { ...ports.dead, list: away } }) },
  );
});

describe('where the journal itself is away', () => {
  const away = async () => fail(fault('unavailable', 'nats-journal is not reachable'));

  story(
    'nothing is known of any job, and the answer says which store it is',
    async (api) => {
      const response = await api.get('/v1/jobs/some-job/why');
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({
        detail: 'nats-journal is not reachable',
        retryable: true,
      });
    },
    { ports: (ports) => ({ ...ports, journal: { ...ports.journal, last: away } }) },
  );
});
