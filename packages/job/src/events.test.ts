import { Defect } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { readJobEvent } from './events.ts';
import { start } from './testing/envelopes.ts';
import { play } from './testing/play.ts';
import { look, spec, task } from './testing/specs.ts';

test('every event of a job reads back from its journal as it was', () => {
  const job = spec(
    [
      task('list'),
      task('each', { for_each: look('tasks.list.output.all'), input: look('item'), on_failure: 'skip' }),
      task('sum', { input: look('tasks.each.output') }),
    ],
    { inputs: { root: '.' }, labels: { a: 'b' }, goal: 'all', result: look('tasks.sum.output') },
  );
  const { events } = play(job, ({ task: id }) => ({ output: { all: ['x', id] }, usage: { tool_calls: 1 } }));
  expect(events.length).toBeGreaterThan(8);
  for (const event of events) expect(readJobEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
});

test('M8: what this version cannot read is a defect, and not passed over', () => {
  const unreadable = [
    { kind: 'job-paused', v: 1, at: start },
    { kind: 'plan-decided', v: 2 },
    { kind: 'task-joined', v: 1, task: 0, at: start, more: true },
    { kind: 'task-joined', v: 1, task: -1, at: start },
    { kind: 'tasks-assigned', v: 1, assignments: [[]], at: start },
    'job-accepted',
    null,
  ];
  for (const stored of unreadable) expect(() => readJobEvent(stored), JSON.stringify(stored)).toThrow(Defect);
  expect(() => readJobEvent({ kind: 'plan-decided', v: 2 })).toThrow(/^M8: .*v: /);
});
