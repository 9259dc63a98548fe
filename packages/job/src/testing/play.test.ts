import { expect, test } from 'vitest';
import { cancel, failed, start, stopped } from './envelopes.ts';
import { play } from './play.ts';
import { look, spec, task } from './specs.ts';

test('a job is played to its end, and time passes only as the worker says', () => {
  const job = spec([task('a', { input: 'x' }), task('b', { input: [look('tasks.a.output')] })]);
  const { state, asked, assigns, events } = play(job, ({ input }) => ({ output: input, ms: 40 }));
  expect(state).toMatchObject({ status: 'completed', ended_at: start + 80 });
  expect(asked).toEqual([
    { task: 'a', attempt: 1, run: { kind: 'skill', name: 'work.a' }, input: 'x', at: start },
    { task: 'b', attempt: 1, run: { kind: 'skill', name: 'work.a' }, input: ['x'], at: start + 40 },
  ]);
  expect(assigns.map(({ tasks, at }) => [tasks, at])).toEqual([[['a', 'b'], start]]);
  expect(events[0]?.kind).toBe('job-accepted');
});

test('side by side they end when the longest does', () => {
  const job = spec([task('a'), task('b')], { split: 'always' });
  const { state } = play(job, ({ task: id }) => ({ output: null, ms: id === 'a' ? 30 : 90 }));
  expect(state.ended_at).toBe(start + 90);
});

test('a worker stops at the first task that does not complete', () => {
  const job = spec([task('a'), task('b', { depends_on: ['a'] })]);
  const { asked } = play(job, () => ({ outcome: failed('invalid', 'no') }));
  expect(asked.map(({ task: id }) => id)).toEqual(['a']);
});

test('what is large travels by reference, and is fetched where it is needed', () => {
  const long = 'x'.repeat(300);
  const job = spec([task('a'), task('far', { skill: 'far.work', input: look('tasks.a.output.long') })]);
  const { state, asked, shelf } = play(job, ({ task: id, input }) => ({
    output: id === 'a' ? { long } : input,
  }));
  expect(state.tasks[0]?.output).toEqual({
    ref: { digest: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: 311 },
  });
  expect(shelf.size).toBe(2);
  expect(asked[1]?.input).toBe(long);
});

test('mail from outside arrives in its time, and a silent worker leaves the job to its clock', () => {
  const { state } = play(spec([task('a')]), () => 'silence', {
    mail: [{ at: start + 500, envelope: cancel() }],
  });
  expect(state).toMatchObject({ status: 'cancelled', ended_at: start + 5_500 });
});

test('what was given up is tried again, and a plan that cannot be is refused', () => {
  const { asked } = play(spec([task('a')]), ({ attempt }) =>
    attempt < 3 ? { outcome: stopped } : { output: 1 },
  );
  expect(asked.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  expect(play(spec([task('a', { skill: 'no.such' })]), () => 'silence').state.end_reason).toBe('invalid');
});
