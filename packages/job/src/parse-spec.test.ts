import type { Json } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { jobLimits } from './job-limits.ts';
import { sayProblem } from './on-job-submit.ts';
import { parseSpec } from './parse-spec.ts';
import { look, spec, task } from './testing/specs.ts';

/** Everything said against a specification, as people read it. */
const against = (value: Json): readonly string[] => {
  const parsed = parseSpec(value);
  return 'problems' in parsed ? parsed.problems.map(sayProblem) : [];
};

const whole: Json = {
  name: 'licence-audit',
  goal: 'Which licences do the installed packages carry?',
  labels: { team: 'platform' },
  inputs: { root: '.' },
  budget: { wall_ms: 600_000 },
  split: 'auto',
  plan: {
    tasks: [
      { id: 'list', tool: 'files.list', input: { path: look('inputs.root') } },
      {
        id: 'audit',
        skill: 'licence.audit',
        for_each: look('tasks.list.output.entries'),
        batch: 25,
        concurrency: 8,
        depends_on: ['list'],
        input: { packages: look('item') },
        retry: { attempts: 3 },
        on_failure: [{ when: 'invalid', do: 'skip' }],
      },
      { id: 'sum', pipeline: [{ render: 'x' }], depends_on: [{ task: 'audit', optional: true }] },
    ],
    result: look('tasks.sum.output'),
  },
};

test('a job with everything in it that this build does is taken as it was written', () => {
  expect(parseSpec(whole)).toEqual({ spec: whole });
});

test('unknown fields are named with the way to them, at every depth and all at once', () => {
  const wrong = {
    name: 'a',
    nam: 1,
    budget: { wall: 1 },
    plan: {
      task: [],
      tasks: [
        { id: 'a', skill: 'x', retry: { attempts: 2, delay: 1 } },
        { id: 'b', skill: 'x', depend_on: [], depends_on: [{ task: 'a', optionl: true }] },
      ],
    },
  };
  expect(against(wrong).toSorted()).toEqual([
    'budget.wall: unknown field wall',
    'nam: unknown field nam; did you mean name?',
    'plan.task: unknown field task; did you mean tasks?',
    'plan.tasks.0.retry.delay: unknown field delay',
    'plan.tasks.1.depend_on: unknown field depend_on; did you mean depends_on?',
    'plan.tasks.1.depends_on.0.optionl: unknown field optionl; did you mean optional?',
  ]);
});

test.each<[string, Json, string]>([
  [
    'tasks that are null',
    { name: 'a', plan: { tasks: null } },
    'plan.tasks: must be a list of tasks; [] where there is nothing to do',
  ],
  ['no name', { plan: { tasks: [] } }, 'name: '],
  ['a name that is none', { name: 'a job', plan: { tasks: [] } }, 'name: a name is words'],
  ['a task id that would split a subject', spec([task('a.b')]), 'plan.tasks.0.id: a task id must match'],
  ['a task id that is the job’s own', spec([task('_job')]), 'plan.tasks.0.id: a task id must match'],
  ['no deadline at all', spec([], { budget: { wall_ms: 0 } }), 'budget.wall_ms: '],
  ['a deadline in a year', spec([], { budget: { wall_ms: jobLimits.wallMsMax + 1 } }), 'budget.wall_ms: '],
  ['no attempt', spec([task('a', { retry: { attempts: 0 } })]), 'plan.tasks.0.retry.attempts: '],
  ['half a batch', spec([task('a', { for_each: [1], batch: 0.5 })]), 'plan.tasks.0.batch: '],
  [
    'a concurrency of none',
    spec([task('a', { for_each: [1], concurrency: 0 })]),
    'plan.tasks.0.concurrency: ',
  ],
  ['a split there is not', { ...Object(spec([])), split: 'maybe' }, 'split: '],
  ['inputs that are a list', { ...Object(spec([])), inputs: [1] }, 'inputs: must be an object'],
  ['no job', null, 'Invalid input'],
])('refused: %s', (_, value, complaint) => {
  expect(against(value)).toEqual([expect.stringContaining(complaint)]);
});

test('unions say what they take', () => {
  const one = (more: object): readonly string[] => against(spec([{ ...task('a'), ...more }]));
  expect(one({ on_failure: 'retry' })).toEqual([
    'plan.tasks.0.on_failure: must be fail, skip, ask, { agent: … } or a list of { when: <fault kind>, do: … }',
  ]);
  expect(one({ on_failure: [{ when: 'broken', do: 'skip' }] })).toEqual([
    expect.stringMatching(/^plan\.tasks\.0\.on_failure\.0\.when: .*"unavailable"/),
  ]);
  expect(one({ for_each: 3 })).toEqual(['plan.tasks.0.for_each: must be a list, or one lookup']);
  expect(against(spec([{ id: 'a', pipeline: 'not a name' }]))).toEqual([
    'plan.tasks.0.pipeline: a name is words of letters, digits, _ and -, joined by dots',
  ]);
  expect(against({ name: 'a', plan: { tasks: [{ id: 'a', pipeline: 7 }] } })).toEqual([
    'plan.tasks.0.pipeline: must be a name, or the steps themselves',
  ]);
});

test('a task is exactly one of agent, skill, tool and pipeline, and says so for each that is not', () => {
  const wrong = spec([{ id: 'none' }, { id: 'two', skill: 'x', tool: 'y' }, task('right')]);
  expect(against(wrong)).toEqual([
    'plan.tasks.0: a task is exactly one of agent, skill, tool, pipeline; none names 0',
    'plan.tasks.1: a task is exactly one of agent, skill, tool, pipeline; two names 2',
  ]);
});

test('batch and concurrency mean nothing without for_each, and are not passed over', () => {
  expect(against(spec([task('a', { batch: 2, concurrency: 3 })]))).toEqual([
    'plan.tasks.0.batch: batch means nothing without for_each',
    'plan.tasks.0.concurrency: concurrency means nothing without for_each',
  ]);
});

test('what the schema takes and this build does not do yet is refused by name, all at once', () => {
  const later = spec(
    [
      task('a', { on_failure: 'ask' }),
      task('b', { on_failure: { agent: 'other' } }),
      task('c', { on_failure: [{ when: 'refused', do: 'ask' }] }),
    ],
    { budget: { model_calls: 1, tool_calls: 2, tokens: 3, cost_usd: 4 } },
  );
  expect(against(later)).toEqual([
    'budget.model_calls: a budget of model_calls: not supported yet',
    'budget.tool_calls: a budget of tool_calls: not supported yet',
    'budget.tokens: a budget of tokens: not supported yet',
    'budget.cost_usd: a budget of cost_usd: not supported yet',
    'plan.tasks.0.on_failure: the failure route "ask" of task a: not supported yet',
    'plan.tasks.1.on_failure: the failure route {"agent":"other"} of task b: not supported yet',
    'plan.tasks.2.on_failure: the failure route "ask" of task c: not supported yet',
  ]);
  expect(against({ name: 'a' })).toEqual([
    'plan: a job without a plan, to be written by a planner agent: not supported yet',
  ]);
});

test('a job has so many tasks and labels, and no more', () => {
  const tasks = Array.from({ length: jobLimits.tasksMax + 1 }, (_, at) => task(`t${at}`));
  expect(against(spec(tasks))).toEqual(['plan.tasks: a plan has at most 10000 tasks']);
  expect(against(spec(tasks.slice(1)))).toEqual([]);
  const labels = Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`l${at}`, 'x']));
  expect(against(spec([], { labels }))).toEqual(['labels: at most 32 labels']);
});

test('a field called __proto__ is kept where anything goes, and refused where it would be lost', () => {
  const inputs: Json = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}');
  const parsed = parseSpec({ ...Object(spec([])), inputs });
  expect('spec' in parsed && JSON.stringify(parsed.spec.inputs)).toBe(
    '{"__proto__":{"a":1},"constructor":2}',
  );
  expect(against({ ...Object(spec([])), labels: JSON.parse('{"__proto__": "x"}') })).toEqual([
    'labels.__proto__: no label can be called __proto__',
  ]);
});
