import { fingerprint, sha256Hex } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { jobDecider } from './decider.ts';
import { jobLimits } from './job-limits.ts';
import { sayProblem } from './on-job-submit.ts';
import { cancel, job, start, submit, tenant } from './testing/envelopes.ts';
import { look, spec, task } from './testing/specs.ts';
import { begun, storyOf } from './testing/story.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

const decider = jobDecider(testCatalogue({ slots: 3, costs: { 'work.a': 200 } }));
const given = storyOf(decider);

test('a job is accepted with its checked plan, the digests it was accepted with, and the room there is', () => {
  const envelope = submit(
    spec([task('a', { input: look('inputs.x') }), task('b', { skill: 'far.work' })], {
      goal: 'all of it',
      labels: { team: 'x' },
      inputs: { x: 1 },
      budget: { wall_ms: 5_000 },
      result: look('tasks.a.output'),
    }),
  );
  const [accepted] = given().when(envelope).events;
  expect(accepted).toEqual({
    kind: 'job-accepted',
    v: 1,
    tenant,
    job,
    trace_id: envelope.trace_id,
    print: fingerprint('job.submit', envelope.payload),
    at: start,
    spec: {
      name: 'a-job',
      goal: 'all of it',
      labels: { team: 'x' },
      inputs: { x: 1 },
      split: 'auto',
      wall_ms: 5_000,
      result: look('tasks.a.output'),
    },
    tasks: [
      expect.objectContaining({ id: 'a', cost_ms: 200 }),
      expect.objectContaining({ id: 'b', pool: 'far' }),
    ],
    pins: { 'skill:work.a': sha256Hex('work.a'), 'skill:far.work': sha256Hex('far.work') },
    slots: { default: 3, far: 3 },
  });
});

test('what is left out has its default, and the job its deadline', () => {
  const { state } = given().when(submit(spec([task('a')])));
  expect(state.spec).toEqual({ name: 'a-job', split: 'auto', wall_ms: jobLimits.wallMsDefault });
  expect(state.deadline).toBe(start + jobLimits.wallMsDefault);
});

test('a pipeline inside the job is pinned by the job itself', () => {
  const [accepted] = given().when(submit(spec([task('a', { pipeline: [] })]))).events;
  expect(accepted).toMatchObject({ pins: {} });
});

test('the first entry is the lock: no other submit changes what there is', () => {
  const first = spec([task('a')]);
  given(...begun(decider, first))
    .when(submit(first))
    .thenEvents();
  given(...begun(decider, first))
    .when(submit(spec([task('b')]), 'c-9'))
    .thenEvents();
});

test('what cannot be run is refused at once, with everything that is wrong with it, and dispatches nothing', () => {
  const wrong = spec([task('a', { depends_on: ['ghost'] }), task('b', { skill: 'no.such' })]);
  const told = given().when(submit(wrong)).thenKinds('job-refused').thenNext();
  expect(told.state).toMatchObject({ status: 'failed', end_reason: 'invalid', ended_at: start, tasks: [] });
  expect(told.state.fault?.kind).toBe('invalid');
  expect(told.state.fault?.detail).toContain('task a depends on ghost');
  expect(told.state.fault?.detail).toContain('no skill no.such is offered');
  told.when(submit(wrong)).thenEvents();
  told.when(cancel()).thenEvents();
});

test('what is no specification at all is refused under the name it has, or as unnamed', () => {
  const refused = (value: Parameters<typeof submit>[0]) =>
    given().when(submit(value)).thenKinds('job-refused').state;
  expect(refused({ name: 'n'.repeat(200) }).spec?.name).toBe('n'.repeat(128));
  for (const value of [null, 3, 'text', [], { name: 7 }, { name: '' }])
    expect(refused(value).spec?.name).toBe('(unnamed)');
});

test('the list of what is wrong is cut to what a fault may hold', () => {
  const many = spec(Array.from({ length: 500 }, (_, at) => task(`t${at}`, { depends_on: ['ghost'] })));
  const detail = given().when(submit(many)).state.fault?.detail ?? '';
  expect(detail.length).toBeLessThanOrEqual(4_096);
  expect(detail).toMatch(/\(cut\)$/);
});

test('a problem is said with the way to it', () => {
  expect(sayProblem({ path: ['plan', 'tasks', 2, 'id'], message: 'no' })).toBe('plan.tasks.2.id: no');
  expect(sayProblem({ path: [], message: 'no' })).toBe('no');
});
