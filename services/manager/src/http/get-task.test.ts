import { describe, expect, it } from 'vitest';
import { countedReads } from './testing/counted-reads.ts';
import { anotherTry, journalWriter } from './testing/journal-writer.ts';
import { type Answer, body, echo, hold, jobOf, origin, stories, tenant } from './testing/test-api.ts';

const story = stories(it);

describe('GET /v1/jobs/{id}/tasks/{task}', () => {
  story('tells every attempt, with what each came to', async (api) => {
    const flaky = { id: 'a', skill: 'test.flaky', input: { n: 1 }, retry: { attempts: 3 } };
    const job = await api.submit(jobOf([flaky, { ...echo('b'), depends_on: ['a'] }]));
    await api.ended(job);
    const task = await body(await api.get(`/v1/jobs/${job}/tasks/a`));
    expect(task).toMatchObject({
      id: 'a',
      job,
      round: 1,
      status: 'completed',
      attempt: 2,
      run: { kind: 'skill', name: 'test.flaky' },
      pool: 'default',
      depends_on: [],
      result: { value: { n: 1 } },
      attempts: [
        {
          attempt: 1,
          status: 'failed',
          worker: 'worker-1',
          fault: { kind: 'unavailable', detail: 'not yet' },
          retry_at: expect.any(Number),
        },
        { attempt: 2, status: 'completed', worker: 'worker-1' },
      ],
    });
    const [first, second] = task.attempts;
    expect(first.assigned_at).toBeLessThanOrEqual(first.started_at);
    expect(second.assigned_at).toBeGreaterThanOrEqual(first.retry_at);
    expect((await body(await api.get(`/v1/jobs/${job}/tasks/b`))).depends_on).toEqual(['a']);
  });

  story('tells when the attempt under way was given out, and of one that never was nothing', async (api) => {
    const merge = { ...echo('b'), depends_on: ['a', 'c'] };
    const job = await api.submit(jobOf([hold('a'), hold('c'), merge], { split: 'always' }));
    const given = api.clock.now();
    await api.clock.sleep(100);
    const [a, b] = [await api.get(`/v1/jobs/${job}/tasks/a`), await api.get(`/v1/jobs/${job}/tasks/b`)];
    const running = await body(a);
    expect(running).toMatchObject({
      wait: { reason: 'call' },
      attempts: [{ attempt: 1, status: 'running' }],
    });
    expect(running.attempts[0].assigned_at).toBeLessThanOrEqual(given);
    expect(await body(b)).toMatchObject({ status: 'pending', attempts: [] });
  });

  story('reads no more of the journal than tells of the task', async (api) => {
    const job = await api.submit(
      jobOf([hold('b'), echo('a'), { ...echo('c'), depends_on: ['a', 'b'] }], { split: 'always' }),
    );
    await api.clock.sleep(100);
    const write = journalWriter(api.ports, tenant, job);
    for (let n = 0; n < 100; n++) await write(anotherTry(10));
    const { reads, ports } = countedReads(api.ports);
    const app = await api.open({ ports });
    const readsFor = async (task: string): Promise<readonly number[]> => {
      reads.splice(0);
      const told = await app(new Request(`${origin}/v1/jobs/${job}/tasks/${task}`));
      expect(told.status).toBe(200);
      return [...reads];
    };
    // The state is folded from the first entry; beside that one page tells of what has ended, and none of what waits.
    expect([await readsFor('a'), await readsFor('c')]).toEqual([[1, 0], [1]]);
  });

  story('knows the children of a for_each by their own names', async (api) => {
    const each = { id: 'each', skill: 'test.echo', for_each: [1, 2], input: '${item}' };
    const job = await api.submit(jobOf([each]));
    await api.ended(job);
    expect(await body(await api.get(`/v1/jobs/${job}/tasks/each~1`))).toMatchObject({
      id: 'each~1',
      run: { name: 'test.echo' },
      attempts: [{ status: 'completed' }],
    });
    expect(await body(await api.get(`/v1/jobs/${job}/tasks/each`))).toMatchObject({
      children: 2,
      attempts: [],
    });
    for (const none of ['each~2', 'other', 'each~1~1', 'each~01', 'a b'])
      expect((await api.get(`/v1/jobs/${job}/tasks/${encodeURIComponent(none)}`)).status).toBe(404);
  });
});

describe('the record of a large job', () => {
  story('comes in pages of tasks, and each task once', async (api) => {
    const each = { id: 'each', skill: 'test.echo', for_each: Array.from({ length: 1_500 }, (_, n) => n) };
    const job = await api.submit(
      jobOf([{ ...each, input: '${item}', concurrency: 64 }], { split: 'always' }),
    );
    await api.ended(job);
    const seen: string[] = [];
    for (let next: string | undefined = `/v1/jobs/${job}`; next !== undefined; ) {
      const record: Answer = await body(await api.get(next));
      expect(record.plan.tasks).toBe(1);
      seen.push(...record.tasks.map(({ id }: Answer) => id));
      expect(record.tasks.length).toBeLessThanOrEqual(1_000);
      next = record.links.tasks_next;
    }
    expect(seen).toHaveLength(1_501);
    expect(new Set(seen).size).toBe(1_501);
    const page = await body(await api.get(`/v1/jobs/${job}?tasks_after=each~0&tasks_limit=2`));
    expect(page.tasks.map(({ id }: Answer) => id)).toEqual(['each~1', 'each~2']);
    expect(page.result).toHaveLength(1_500);
    const none = await body(await api.get(`/v1/jobs/${job}?tasks_after=other`));
    expect(none).toMatchObject({ code: 'invalid_query', errors: [{ path: ['tasks_after'] }] });
  });

  story('holds a large output by reference, which leads to it', async (api) => {
    const text = 'x'.repeat(100_000);
    const job = await api.submit(jobOf([{ id: 'a', skill: 'test.store', input: { text } }]));
    const { tasks, result } = await api.ended(job);
    expect(JSON.stringify(tasks).length).toBeLessThan(1_000);
    expect(await body(await api.get(tasks[0].result.ref.href))).toEqual({ text });
    expect(result).toEqual({ text });
  });
});
