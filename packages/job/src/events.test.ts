import { readFileSync } from 'node:fs';
import { Defect } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { readJobEvent } from './events.ts';
import { start } from './testing/envelopes.ts';
import { readInventedEvent } from './testing/invented-event.ts';
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

test('an event of an older version reads as the newest; the one of a version to come does not', () => {
  const file = new URL('../fixtures/invented/task-joined.json', import.meta.url);
  const older = JSON.parse(readFileSync(file, 'utf8'));
  const lifted = readInventedEvent(older);
  expect(lifted).toEqual({ kind: 'task-joined', v: 2, task: 4, at: 1_800_000_000_000 });
  // But for the number it is the event of today.
  expect(readJobEvent({ ...lifted, v: 1 })).toMatchObject({ task: 4, at: 1_800_000_000_000 });
  expect(() => readInventedEvent({ ...lifted, v: 3 })).toThrow(/^M8: .*version 3 is newer than 2/);
});
