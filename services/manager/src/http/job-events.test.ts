import { seededRandom } from '@foldmesh/embedded';
import { encodeJson, JobId, type WireId, wireIdOf } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import { eventsOf, readEntry } from '@foldmesh/runtime';
import { describe, expect, it } from 'vitest';
import { type Frame, hear } from './testing/frames.ts';
import { echo, hold, jobOf, refuse, stories, type TestApi, tenant } from './testing/test-api.ts';

const story = stories(it);

const endings = ['job-completed', 'job-failed', 'job-cancelled', 'job-refused'];
const events = (api: TestApi, job: string, lastId?: string): Promise<Response> =>
  api.get(`/v1/jobs/${job}/events`, lastId === undefined ? {} : { 'last-event-id': lastId });

/** Ids of all of a job's events, read from its journal. */
const journalIds = async (ports: Ports, job: string): Promise<readonly string[]> => {
  const entity = { tenant, job: JobId.parse(job) };
  const entries = await ports.journal.read(entity, 0, 10_000);
  if (!entries.ok) throw new Error(entries.fault.detail);
  const ids: string[] = [];
  for (const recorded of entries.value) {
    const stored = await eventsOf(ports, entity, readEntry(recorded));
    if (!stored.ok) throw new Error(stored.fault.detail);
    ids.push(...stored.value.map((_, index) => `${recorded.seq}.${index}`));
  }
  return ids;
};

const manyTasks = (count: number) =>
  jobOf(
    Array.from({ length: count }, (_, n) => echo(`t${n}`)),
    { split: 'always' },
  );

const checkWhole = (frames: readonly Frame[], ids: readonly string[]): void => {
  expect(frames.map(({ id }) => id)).toEqual(ids);
  expect(frames.filter(({ event }) => endings.includes(event))).toHaveLength(1);
  expect(endings).toContain(frames.at(-1)?.event);
};

describe('GET /v1/jobs/{id}/events', () => {
  story('tells every event once, in order, from the first to the terminal one, then closes', async (api) => {
    const job = await api.submit(manyTasks(20));
    const response = await events(api, job);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    const heard = await hear(response);
    expect(heard).toMatchObject({ closed: true, retry: 1_000 });
    checkWhole(heard.frames, await journalIds(api.ports, job));
    expect(heard.frames[0]).toMatchObject({ event: 'job-accepted', data: { kind: 'job-accepted' } });
    expect(await api.ended(job)).toMatchObject({ status: 'completed' });
  });

  story('goes on without gap or repeat wherever it was cut', async (api) => {
    const random = seededRandom('cuts');
    const job = await api.submit(manyTasks(300));
    const frames: Frame[] = [];
    const resume = async (most: number): Promise<boolean> => {
      const response = await events(api, job, frames.at(-1)?.id);
      if (response.status === 204) return true;
      const heard = await hear(response, ({ frames: now }) => now.length >= most);
      frames.push(...heard.frames);
      return heard.closed;
    };
    for (let cut = 0; cut < 20; cut++) await resume(Math.floor(random.float() * 25));
    while (!(await resume(Number.POSITIVE_INFINITY)));
    const ids = await journalIds(api.ports, job);
    expect(ids.length).toBeGreaterThan(300);
    checkWhole(frames, ids);
  });

  story('tells late subscribers the same, after every kind of end', async (api) => {
    const completed = await api.submit(jobOf([echo('a')]));
    const failed = await api.submit(jobOf([refuse('a')]));
    const cancelled = await api.submit(jobOf([hold('a')]));
    await api.post(`/v1/jobs/${cancelled}/cancel`);
    for (const [job, ending] of [
      [completed, 'job-completed'],
      [failed, 'job-failed'],
      [cancelled, 'job-cancelled'],
    ] as const) {
      await api.ended(job);
      await api.clock.sleep(60 * 60_000);
      const { frames, closed } = await hear(await events(api, job));
      expect([closed, frames.at(-1)?.event]).toEqual([true, ending]);
      checkWhole(frames, await journalIds(api.ports, job));
      // Whoever has had the terminal event has had all, and need not come back.
      expect((await events(api, job, frames.at(-1)?.id)).status).toBe(204);
    }
  });

  story('starts anew, openly, from a position that is none of this job', async (api) => {
    const other = await api.submit(jobOf([echo('a')]));
    await api.ended(other);
    const theirs = (await journalIds(api.ports, other))[0];
    const job = await api.submit(jobOf([hold('a')]));
    const last = (await journalIds(api.ports, job)).at(-1) ?? '';
    const wrong = [
      theirs ?? '',
      '999999.0',
      `${last.split('.')[0]}.99`,
      'abc',
      '-1.0',
      '1',
      '1.0.0',
      '0.0',
      '9'.repeat(30),
    ];
    for (const position of wrong) {
      const { frames } = await hear(await events(api, job, position), ({ frames: now }) => now.length > 0);
      expect(frames).toHaveLength(1);
      expect(frames[0]).toMatchObject({ event: 'reset', data: { id: job, status: 'running' } });
      expect(frames[0]).not.toHaveProperty('id');
    }
    const live = hear(await events(api, job, 'abc'));
    await api.clock.sleep(1);
    await api.post(`/v1/jobs/${job}/cancel`);
    const { frames } = await live;
    const ids = await journalIds(api.ports, job);
    expect(frames[0]?.event).toBe('reset');
    checkWhole(frames.slice(1), ids.slice(ids.indexOf(last) + 1));
  });

  story('gives a snapshot with the result and the terminal event where the job has ended', async (api) => {
    const job = await api.submit(jobOf([echo('a')]));
    await api.ended(job);
    const { frames, closed } = await hear(await events(api, job, 'gone'));
    expect(closed).toBe(true);
    expect(frames).toMatchObject([
      { event: 'reset', data: { status: 'completed', result: { said: 'a' } } },
      { event: 'job-completed', id: (await journalIds(api.ports, job)).at(-1) },
    ]);
  });

  story('says nothing of a job that is not there, or is another tenant’s', async (api) => {
    const job = await api.submit(jobOf([echo('a')]));
    const theirs = await api.open({ tenant: `${tenant}-2` as typeof tenant });
    const foreign = await theirs(new Request(`http://127.0.0.1:8080/v1/jobs/${job}/events`));
    const missing = await events(api, 'j-none');
    expect([foreign.status, missing.status]).toEqual([404, 404]);
  });

  story('lives through silence, and the last id stays where it was', async (api) => {
    const job = await api.submit(jobOf([hold('a')]));
    const before = api.clock.now();
    const { frames } = await hear(await events(api, job), ({ comments }) => comments >= 4);
    expect(api.clock.now() - before).toBe(60_000);
    expect(frames.map(({ id }) => id)).toEqual(await journalIds(api.ports, job));
  });

  story(
    'holds nothing for a reader that has stopped reading, and a leaving one changes nothing',
    async (api) => {
      const job = await api.submit(jobOf([hold('a')]));
      const ids = await journalIds(api.ports, job);
      const told = new Set(ids.map((id) => id.split('.')[0])).size;
      const sleepers = api.clock.sleepers();
      const readers = await Promise.all(
        Array.from({ length: 50 }, async () => {
          const reader = (await events(api, job)).body?.getReader();
          for (let read = 0; read <= told; read++) await reader?.read(); // one more than entries: the retry hint
          return reader;
        }),
      );
      expect(api.clock.sleepers()).toBe(sleepers);
      const waiting = readers.map((reader) => reader?.read());
      await api.clock.sleep(1);
      expect(api.clock.sleepers()).toBe(sleepers + 50);
      for (const reader of readers) await reader?.cancel();
      await Promise.all(waiting);
      expect(api.clock.sleepers()).toBe(sleepers);
      expect(await (await api.get(`/v1/jobs/${job}`)).json()).toMatchObject({ status: 'running' });
    },
  );

  story('ends when this process is about to, and goes on at another', async (api) => {
    const job = await api.submit(jobOf([hold('a')]));
    const another = await api.open({ draining: new AbortController().signal });
    const hearing = hear(await events(api, job));
    await api.clock.sleep(100);
    api.drain();
    const heard = await hearing;
    expect(heard).toMatchObject({ closed: true, retry: 1_000 });
    expect((await events(api, job)).status).toBe(503);
    const headers = { 'last-event-id': heard.frames.at(-1)?.id ?? '' };
    const rest = hear(await another(new Request(`http://127.0.0.1:8080/v1/jobs/${job}/events`, { headers })));
    await api.clock.sleep(100);
    await another(new Request(`http://127.0.0.1:8080/v1/jobs/${job}/cancel`, { method: 'POST' }));
    checkWhole([...heard.frames, ...(await rest).frames], await journalIds(api.ports, job));
  });

  story('tells of the job alone, not of the runs of its agents', async (api) => {
    const job = await api.submit(jobOf([hold('a')]));
    const run = { task: 'a' as never, round: 1 };
    const entity = { tenant, job: JobId.parse(job), run };
    const entry = encodeJson({
      v: 1,
      causes: [],
      at: 1,
      first: 0,
      events: [{ kind: 'run-started' }],
      tail_bytes: 0,
    });
    const id: WireId = wireIdOf('entry', 'run', 1, 0);
    expect(await api.ports.journal.append({ entity, entry, expected: 0, id })).toMatchObject({ ok: true });
    const live = hear(await events(api, job));
    await api.clock.sleep(10);
    await api.post(`/v1/jobs/${job}/cancel`);
    checkWhole((await live).frames, await journalIds(api.ports, job));
  });
});
