import { expect, test } from 'vitest';
import { dryRun } from './dry-run.ts';
import { start } from './testing/envelopes.ts';
import { look, spec, task } from './testing/specs.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

const catalogue = testCatalogue({ costs: { 'work.a': 200 } });

test('a dry run says what would go out first, and why, and keeps nothing', () => {
  const job = spec([
    task('list', { tool: 'files.list' }),
    task('each', { for_each: look('tasks.list.output'), batch: 5, concurrency: 3, skill: 'far.work' }),
    task('a'),
  ]);
  expect(dryRun(job, catalogue, start)).toEqual({
    plan: {
      name: 'a-job',
      tasks: [
        { id: 'list', run: 'tool files.list', pool: 'default', depends_on: [], cost_ms: 50 },
        {
          id: 'each',
          run: 'skill far.work',
          pool: 'far',
          depends_on: ['list'],
          for_each: { batch: 5, concurrency: 3 },
          cost_ms: 50,
        },
        { id: 'a', run: 'skill work.a', pool: 'default', depends_on: [], cost_ms: 200 },
      ],
      decision: expect.objectContaining({ split: true, workers: 8 }),
      first: [['list'], ['a']],
    },
  });
});

test('a dry run of an empty plan decides nothing, one of a wrong job says what is wrong', () => {
  expect(dryRun(spec([]), catalogue, start)).toEqual({
    plan: { name: 'a-job', tasks: [], decision: null, first: [] },
  });
  expect(dryRun(spec([task('a', { depends_on: ['ghost'] })]), catalogue, start)).toEqual({
    problems: [{ path: ['plan', 'tasks', 0, 'depends_on', 0], message: expect.stringContaining('ghost') }],
  });
});
