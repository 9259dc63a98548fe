import { jobFold, recordOf } from '@foldmesh/job';
import { play, spec, task } from '@foldmesh/job/internal';
import { expect, it } from 'vitest';
import { graphDepths } from './graph-depths.ts';
import { rowsOf } from './task-rows.ts';

it('counts the children of a task together, and says what holds each task up', () => {
  const job = spec([
    task('list'),
    task('each', { for_each: [1, 2, 3], input: 1, on_failure: 'skip', depends_on: ['list'] }),
    task('end', { depends_on: [{ task: 'each', optional: true }] }),
  ]);
  const { events } = play(job, ({ task: id }) =>
    id === 'each~1'
      ? { outcome: { kind: 'failed', fault: { kind: 'invalid', detail: 'no' } } }
      : { output: id },
  );
  const before = { list: '', each: '', end: '' };
  const statuses: (typeof before)[] = [];
  let state = jobFold.initial();
  for (const event of events) {
    state = jobFold.evolve(state, event);
    const rows = rowsOf(state, recordOf(state, state.accepted_at, '').tasks);
    statuses.push({ ...before, ...Object.fromEntries(rows.map(({ id, status }) => [id, status])) });
    const [, each, end] = rows;
    if (each?.status === 'running' && each.done < 3)
      expect(end?.wait).toMatchObject({ reason: 'dependency', on: 'each' });
  }
  expect(statuses).toContainEqual({ list: 'running', each: 'pending', end: 'pending' });
  expect(statuses).toContainEqual({ list: 'completed', each: 'running', end: 'pending' });
  const [, ended] = rowsOf(state);
  expect(ended).toMatchObject({ total: 3, done: 3, status: 'failed' });
  expect([...(ended?.counts ?? [])].toSorted()).toEqual([
    ['completed', 2],
    ['failed', 1],
  ]);
});

it('places a task below the deepest that it waits for, and no deeper than it may', () => {
  expect(graphDepths([[], [0], [0, 1], [2]], 8)).toEqual([0, 1, 2, 3]);
  expect(graphDepths([[], [0], [1], [2]], 2)).toEqual([0, 1, 2, 2]);
  expect(graphDepths([[2], [], [1]], 8)).toEqual([2, 0, 1]);
});
