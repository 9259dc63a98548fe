import { apiLimits } from '@foldmesh/client';
import { encodeJson, JobId, wireIdOf } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { anotherTry, journalWriter } from './testing/journal-writer.ts';
import { type Answer, body, echo, hold, jobOf, stories, tenant } from './testing/test-api.ts';

const story = stories(it);

const kindsIn = ({ entries }: Answer): readonly string[] =>
  entries.flatMap(({ events }: Answer) => events.map(({ kind }: Answer) => kind));

describe('GET /v1/jobs/{id}/journal', () => {
  story('gives what was appended, in order, in pages', async (api) => {
    const job = await api.submit(jobOf([echo('a'), echo('b')], { split: 'always' }));
    await api.ended(job);
    const whole = await body(await api.get(`/v1/jobs/${job}/journal`));
    expect(whole).not.toHaveProperty('next');
    expect(kindsIn(whole)[0]).toBe('job-accepted');
    expect(kindsIn(whole).at(-1)).toBe('job-completed');
    const paged: Answer[] = [];
    for (let after: number | undefined = -1; after !== undefined; ) {
      const page: Answer = await body(
        await api.get(`/v1/jobs/${job}/journal?limit=1${after < 0 ? '' : `&after=${after}`}`),
      );
      expect(page.entries).toHaveLength(1);
      paged.push(...page.entries);
      after = page.next;
    }
    expect(paged).toEqual(whole.entries);
  });

  story('gives no more in one page than a page may weigh, and all of it in several', async (api) => {
    const job = await api.submit(jobOf([hold('a')]));
    const write = journalWriter(api.ports, tenant, job);
    for (let entry = 0; entry < 40; entry++)
      await write(Array.from({ length: 60 }, () => anotherTry(4_000)).flat());
    const seqs: number[] = [];
    const weights: number[] = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      const text = await (await api.get(`/v1/jobs/${job}/journal?limit=1000&after=${after}`)).text();
      const page: Answer = JSON.parse(text);
      weights.push(text.length);
      seqs.push(...page.entries.map(({ seq }: Answer) => seq));
      after = page.next;
    }
    expect([weights.length, new Set(seqs).size]).toEqual([2, 41]);
    expect(Math.max(...weights)).toBeLessThan(apiLimits.pageBytesMax + 1_000);
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
  });

  story('gives the state as it was after so many events, and no later one', async (api) => {
    const job = await api.submit(jobOf([echo('a')]));
    await api.ended(job);
    const whole = await body(await api.get(`/v1/jobs/${job}/journal`));
    const count = kindsIn(whole).length;
    const at = async (n: number) => body(await api.get(`/v1/jobs/${job}/journal?at=${n}`));
    expect(await at(0)).toMatchObject({ at: 0, state: { position: 0, tasks: [] } });
    expect(await at(1)).toMatchObject({ at: 1, state: { position: 1, job, status: 'queued' } });
    expect(await at(count)).toMatchObject({ at: count, state: { position: count, status: 'completed' } });
    expect(await at(count + 10)).toMatchObject({ at: count, state: { status: 'completed' } });
    expect(whole).not.toHaveProperty('state');
  });

  story('shows also what a newer manager has written, of which it can make no state', async (api) => {
    const job = await api.submit(jobOf([hold('a')]));
    const entity = { tenant, job: JobId.parse(job) };
    const last = await api.ports.journal.last(entity);
    const expected = last.ok ? (last.value?.seq ?? 0) : 0;
    const told = { kind: 'job-teleported', v: 1 };
    const entry = encodeJson({
      v: 1,
      causes: [],
      at: 1,
      first: 3,
      events: [told],
      tail_bytes: 0,
      state_at: expected,
    });
    await api.ports.journal.append({ entity, entry, expected, id: wireIdOf('entry', job, expected, 0) });
    const response = await api.get(`/v1/jobs/${job}/journal?at=1`);
    const read = await body(response);
    expect([response.status, read.at, kindsIn(read).at(-1)]).toEqual([200, 1, 'job-teleported']);
  });

  story('has none of a task that is no agent, nor of a task that is not there', async (api) => {
    const job = await api.submit(jobOf([echo('a')]));
    await api.ended(job);
    for (const query of ['task=a', 'task=b', 'task=a&round=2'])
      expect((await api.get(`/v1/jobs/${job}/journal?${query}`)).status).toBe(404);
    expect(await body(await api.get(`/v1/jobs/${job}/journal?round=1`))).toMatchObject({
      code: 'invalid_query',
      errors: [{ path: ['round'] }],
    });
  });
});
