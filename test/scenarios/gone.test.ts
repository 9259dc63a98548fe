import type { Digest } from '@foldmesh/envelope';
import { catalogueView, managerApp } from '@foldmesh/manager';
import { readEntry } from '@foldmesh/runtime';
import { expect } from 'vitest';
import { apiOf } from './api.ts';
import { ends, everyJobEnds, noDeadLetters, stateOf } from './checks.ts';
import type { Check } from './ending.ts';
import type { Run } from './mesh.ts';
import { scenario } from './scenario.ts';
import { jobOf, look } from './specs.ts';
import { askWhy, causeIn, sleeping } from './why-hands.ts';

/** Events and state of the first entry lie in blobs. */
const large = jobOf([sleeping('a', 400_000), sleeping('b', 10, { depends_on: ['a'] })], {
  inputs: { text: 'x'.repeat(80_000) },
  split: 'always',
});

const entityOf = (run: Run) => ({ tenant: run.tenant, job: run.jobId('job-1') });

/** Deletes all that the job's entries refer to, as whoever empties the store does. */
const loseHistory = async (run: Run): Promise<void> => {
  const page = await run.ports.journal.read(entityOf(run), 0, 100);
  if (!page.ok) throw new Error(page.fault.detail);
  const refs = page.value.flatMap((recorded) => {
    const { events_ref, state_ref } = readEntry(recorded);
    return [events_ref, state_ref].flatMap((ref) => ref ?? []);
  });
  expect(refs.length).toBeGreaterThan(0);
  for (const { digest } of refs) run.doors.lose(run.tenant, run.jobId('job-1'), digest);
};

/** What a manager remembers it needs not read. */
const anotherManager = async (run: Run): Promise<void> => {
  run.life('manager-1').kill();
  await run.start('manager-2');
};

const digestOfA = async (run: Run): Promise<Digest> => {
  const record = JSON.parse(await (await apiOf(run))('/v1/jobs/job-1'));
  return record.tasks.find(({ id }: { id: string }) => id === 'a').result.ref.digest;
};

const says =
  (...parts: readonly string[]): Check =>
  (ending) => {
    for (const part of parts) expect(stateOf(ending).fault?.detail).toContain(part);
  };

/** Nothing is handed back again and again: a turn is a few reads, and there are few turns. */
const isQuiet: Check = ({ calls }) => {
  const managers = calls.filter(({ service }) => service.startsWith('manager'));
  expect(managers.filter(({ call }) => call === 'delivery.nak').length).toBeLessThan(30);
};

scenario('M1: a job whose history is gone ends, and says which value it was', {})
  .submit(large)
  .wait(60_000)
  .step(loseHistory)
  .step(anotherManager)
  .step(async (run) => {
    const cause = await causeIn(run, 'storage');
    expect(cause).toMatchObject({ on: 'blobs', next: expect.stringContaining('foldmesh cancel') });
    expect(cause.text).toMatch(/can be read no further \(entry \d+ of acme\/job-1: a value is gone: /);
  })
  .run(60_000)
  .step(async (run) => {
    const [cause] = (await askWhy(run)).causes;
    expect(cause).toMatchObject({ reason: 'ended', text: expect.stringContaining('a value is gone') });
    const api = await apiOf(run);
    expect(JSON.parse(await api('/v1/jobs/job-1'))).toMatchObject({
      status: 'failed',
      end_reason: 'invalid',
    });
    expect(await api('/v1/jobs/job-1/events')).toContain('event: job-failed');
    const { entries } = JSON.parse(await api('/v1/jobs/job-1/journal'));
    expect(entries[0].events).toEqual([]);
  })
  .expect(
    ends('job-1', 'failed', 'invalid'),
    everyJobEnds,
    noDeadLetters,
    says('is lost'),
    isQuiet,
    (ending) => {
      expect(ending.jobs.get('job-1')?.events.map(({ kind }) => kind)).toContain('history-lost');
    },
  );

scenario('M1: a job whose history is gone can be cancelled, and then ends at once', {})
  .submit(large)
  .wait(60_000)
  .step(loseHistory)
  .step(anotherManager)
  .step(async ({ ports, tenant }) => {
    const catalogue = catalogueView(ports);
    await catalogue.refresh();
    const app = managerApp({ ports, catalogue, durability: 'process', tenant });
    const url = 'http://127.0.0.1:8080/v1/jobs/job-1';
    expect((await app(new Request(url))).status).toBe(500);
    const cancelled = await app(new Request(`${url}/cancel`, { method: 'POST' }));
    expect([cancelled.status, await cancelled.json()]).toMatchObject([202, { status: 'stopping' }]);
  })
  .run(6_000)
  .expect(ends('job-1', 'failed', 'invalid'), everyJobEnds, noDeadLetters, isQuiet);

scenario('what may only be late is no reason to end a job, until it has been gone for long enough', {})
  .submit(large)
  .wait(5_000)
  .step(loseHistory)
  .step(anotherManager)
  .wait(30_000)
  .step(async (run) => {
    const page = await run.ports.journal.read(entityOf(run), 0, 100);
    expect(page.ok && page.value.length).toBe(1);
  })
  .wait(60_000)
  .run(120_000)
  .expect(ends('job-1', 'failed', 'invalid'), everyJobEnds, isQuiet);

/** A task looks up what another made so long ago. */
const lookingBackAfter = (ms: number) =>
  jobOf(
    [
      { id: 'a', skill: 'debug.echo', input: { text: 'y'.repeat(1_000) } },
      sleeping('c', ms),
      { id: 'b', skill: 'debug.echo', input: { got: look('tasks.a.output.text') }, depends_on: ['c'] },
    ],
    { split: 'always' },
  );

scenario('M1: a task whose input is gone fails, and names the lookup and the value', {})
  .submit(lookingBackAfter(90_000))
  .wait(10_000)
  .step(async (run) => run.doors.lose(run.tenant, run.jobId('job-1'), await digestOfA(run)))
  .run(240_000)
  .step(async (run) => {
    const [cause] = (await askWhy(run)).causes;
    expect(cause).toMatchObject({ reason: 'ended', task: 'b' });
    expect(cause?.text).toMatch(
      /task b failed: input: \$\{tasks\.a\.output\.text\}: a value is gone: job job-1 has no blob [0-9a-f]{64}/,
    );
  })
  .expect(ends('job-1', 'failed', 'failed'), everyJobEnds, noDeadLetters, isQuiet);

scenario('a task whose input is gone can be cancelled while it waits for it', {})
  .submit(lookingBackAfter(30_000))
  .wait(10_000)
  .step(async (run) => run.doors.lose(run.tenant, run.jobId('job-1'), await digestOfA(run)))
  .wait(30_000)
  .cancel()
  .run(6_000)
  .expect(ends('job-1', 'cancelled'), everyJobEnds, noDeadLetters);
