import type { Json } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { checkJob, sayProblem } from '../on-job-submit.ts';
import { look, spec, task } from '../testing/specs.ts';
import { testCatalogue } from '../testing/test-catalogue.ts';
import type { Catalogue } from './catalogue.ts';
import type { PlanTask } from './plan.ts';

const checked = (job: Json): readonly PlanTask[] => {
  const found = checkJob({ spec: job }, testCatalogue({ costs: { 'work.b': 7 } }));
  if ('problems' in found) throw new Error(found.problems.map(sayProblem).join('\n'));
  return found.tasks;
};

const against = (job: Json, catalogue = testCatalogue()): readonly string[] => {
  const found = checkJob({ spec: job }, catalogue);
  return 'problems' in found ? found.problems.map(sayProblem) : [];
};

test('a checked plan names others by ordinal, and holds what the catalogue said', () => {
  const [a, b] = checked(
    spec(
      [
        task('a', { skill: 'work.b', retry: { attempts: 3 }, on_failure: 'skip' }),
        task('b', { tool: 'files.list', for_each: look('tasks.a.output.list'), batch: 2, concurrency: 5 }),
      ],
      { result: look('tasks.a.output.sum') },
    ),
  );
  expect(a).toEqual({
    id: 'a',
    run: { kind: 'skill', name: 'work.b' },
    pool: 'default',
    input: {},
    deps: [],
    attempts: 3,
    on_failure: [{ do: 'skip' }],
    probes: [['list'], ['sum']],
    cost_ms: 7,
  });
  expect(b).toMatchObject({
    deps: [{ task: 0, optional: false }],
    for_each: { source: look('tasks.a.output.list'), batch: 2, concurrency: 5 },
    attempts: 1,
    on_failure: [{ do: 'fail' }],
    cost_ms: 50,
  });
});

test('a reference to a task makes the dependency; where it was declared optional, that stands', () => {
  const tasks = checked(
    spec([
      task('a'),
      task('b', { depends_on: [{ task: 'a', optional: true }], input: look('tasks.a.output') }),
      task('c', { input: { x: [`see ${look('tasks.b.gaps')}`] } }),
      task('d', { for_each: look('tasks.c.output'), depends_on: ['a'] }),
    ]),
  );
  expect(tasks.map(({ deps }) => deps)).toEqual([
    [],
    [{ task: 0, optional: true }],
    [{ task: 1, optional: false }],
    [
      { task: 0, optional: false },
      { task: 2, optional: false },
    ],
  ]);
});

test('a pipeline inside the job is carried out by the built-in skill', () => {
  const [inline, named] = checked(
    spec([task('a', { pipeline: [{ render: 'x' }] }), task('b', { pipeline: 'digest' })]),
  );
  expect(inline?.run).toEqual({ kind: 'pipeline', name: 'inline', inline: [{ render: 'x' }] });
  expect(named?.run).toEqual({ kind: 'pipeline', name: 'digest' });
});

test('a path that several need is looked for once', () => {
  const loops = ['x', 'y'].map((id) => task(id, { for_each: look('tasks.a.output.list') }));
  expect(checked(spec([task('a'), ...loops], { result: look('tasks.a.output.list') }))[0]?.probes).toEqual([
    ['list'],
  ]);
  // The whole output needs no path, but a for_each must know how long it is.
  expect(checked(spec([task('a')], { result: look('tasks.a.output') }))[0]?.probes).toEqual([]);
  expect(checked(spec([task('a'), task('x', { for_each: look('tasks.a.output') })]))[0]?.probes).toEqual([
    [],
  ]);
});

test('unknown, duplicate and self dependencies', () => {
  const wrong = spec([
    task('a', { depends_on: ['a', 'ghost'] }),
    task('b', { depends_on: ['a', { task: 'a' }] }),
  ]);
  expect(against(wrong)).toEqual([
    'plan.tasks.0.depends_on.0: task a depends on itself',
    'plan.tasks.0.depends_on.1: task a depends on ghost, which is no task of the plan',
    'plan.tasks.1.depends_on.1: task b depends on a twice',
  ]);
});

test('a task id used twice', () => {
  expect(against(spec([task('a'), task('a')]))).toEqual(['plan.tasks.1.id: the task id a is used twice']);
});

test('ids that every object inherits are ids like any other', () => {
  expect(against(spec([task('constructor'), task('toString', { depends_on: ['constructor'] })]))).toEqual([]);
  expect(against(spec([task('a', { depends_on: ['constructor'] })]))).toEqual([
    'plan.tasks.0.depends_on.0: task a depends on constructor, which is no task of the plan',
  ]);
});

test('a cycle is named in the order in which each waits for the next', () => {
  const wrong = spec([
    task('before'),
    task('a', { depends_on: ['before', 'c'] }),
    task('b', { depends_on: ['a'] }),
    task('c', { input: look('tasks.b.output') }),
    task('behind', { depends_on: ['a'] }),
  ]);
  expect(against(wrong)).toEqual([
    'plan.tasks.1.depends_on: the tasks wait for each other in a circle: a → c → b → a',
  ]);
});

test('a name that nobody offers is refused with the names there are', () => {
  const wrong = spec([
    task('a', { skill: 'work.c' }),
    task('b', { tool: 'files.write' }),
    task('c', { pipeline: 'summary' }),
    task('d', { pipeline: { steps: 1 } }),
  ]);
  expect(against(wrong)).toEqual([
    'plan.tasks.0.skill: task a: no skill work.c is offered; there are work.a, work.b, far.work, pipeline.run; did you mean work.a?',
    'plan.tasks.1.tool: task b: no tool files.write is offered; there are files.list',
    'plan.tasks.2.pipeline: task c: no pipeline summary is offered; there are digest',
    'plan.tasks.3.pipeline: task d: a pipeline is a list of steps',
  ]);
});

test('an agent whose tools nobody offers is refused with each of them', () => {
  const stock = testCatalogue();
  const agents: Catalogue = {
    ...stock,
    find: (kind, name) => {
      const offer = stock.find('skill', 'work.a');
      if (kind !== 'agent' || offer === undefined) return stock.find(kind, name);
      return { ...offer, kind, name, ...(name !== 'older' && { needs_tools: [name, 'files.list'] }) };
    },
  };
  const told = ['files.lst', 'eat', 'older', 'files.list'].map((agent, at) => ({ id: `t${at}`, agent }));
  expect(against(spec(told), agents)).toEqual([
    'plan.tasks.0.agent: task t0: agent files.lst: no tool files.lst is offered; there are files.list; did you mean files.list?',
    'plan.tasks.1.agent: task t1: agent eat: no tool eat is offered; there are files.list',
  ]);
});

test('an empty catalogue says that there are none, a long one not all that there are', () => {
  const empty = { ...testCatalogue(), find: () => undefined, names: () => [] };
  expect(against(spec([task('a'), task('p', { pipeline: [] })]), empty)).toEqual([
    'plan.tasks.0.skill: task a: no skill work.a is offered; there are none',
    'plan.tasks.1.pipeline: task p: no worker offers pipeline.run, which carries out a pipeline',
  ]);
  const long = { ...empty, names: () => Array.from({ length: 500 }, (_, at) => `s${at}`) };
  expect(against(spec([task('a')]), long)).toEqual([expect.stringMatching(/s48, s49 and 450 more$/)]);
});

test('lookups into inputs and unknown tasks are checked before anything is dispatched', () => {
  const wrong = spec(
    [
      task('a', { input: [look('inputs.rot'), look('inputs.list.7'), look('tasks.ghost.output')] }),
      task('b', {
        input: { own: look('tasks.b.output'), item: look('item'), broken: '${x', nothing: look('x.y') },
      }),
    ],
    {
      inputs: { root: '.', list: [1] },
      result: [look('inputs.rot'), look('tasks.ghost.gaps'), look('item'), '${'],
    },
  );
  expect(against(wrong)).toEqual([
    'plan.tasks.0.input: task a: ${inputs.rot}: in inputs there is no rot; the keys there are root, list',
    'plan.tasks.0.input: task a: ${inputs.list.7}: in inputs there is no list.7; there is a list of 1',
    'plan.tasks.0.input: task a: ${tasks.ghost.output}: there is no task ghost',
    'plan.tasks.1.input: task b: the lookup ${x is not closed',
    'plan.tasks.1.input: task b: the lookup ${x.y} must start with inputs., item, or tasks.<id>.output or .gaps',
    'plan.tasks.1.input: task b: ${tasks.b.output}: a task cannot look into its own output',
    'plan.tasks.1.input: task b: ${item}: there is an item only in the input of a for_each',
    'plan.result: the lookup ${ is not closed',
    'plan.result: ${inputs.rot}: in inputs there is no rot; the keys there are root, list',
    'plan.result: ${tasks.ghost.gaps}: there is no task ghost',
    'plan.result: ${item}: there is an item only in the input of a for_each',
  ]);
});

test('a for_each goes over a list, or over what one lookup says', () => {
  const inputs = { list: [1], root: '.' };
  const over = (for_each: string | Json[]): readonly string[] =>
    against(spec([task('a', { for_each })], { inputs }));
  expect(over(look('inputs.list'))).toEqual([]);
  expect(over([1, 'a', null])).toEqual([]);
  expect(over([])).toEqual([]);
  expect(over(look('inputs.root'))).toEqual(['plan.tasks.0.for_each: task a: ${inputs.root} is not a list']);
  expect(over(look('inputs.none'))).toEqual([expect.stringContaining('in inputs there is no none')]);
  expect(over(look('item'))).toEqual([
    expect.stringContaining('there is an item only in the input of a for_each'),
  ]);
  expect(over(look('tasks.a.output'))).toEqual([expect.stringContaining('cannot look into its own output')]);
  expect(over([look('inputs.list')])).toEqual([
    'plan.tasks.0.for_each: task a: a list written in for_each cannot hold lookups',
  ]);
  for (const text of ['1,2,3', `${look('inputs.list')}!`, '${inputs.list'])
    expect(over(text)).toEqual([
      'plan.tasks.0.for_each: task a: for_each must be a list, or one lookup and nothing else',
    ]);
});

test('one child of a for_each is no source and no result yet', () => {
  const each = task('a', { for_each: [1] });
  expect(against(spec([each, task('b', { for_each: look('tasks.a.output.0') })]))).toEqual([
    'plan.tasks.1.for_each: for_each: ${tasks.a.output.0} looks into one child of a for_each: not supported yet',
  ]);
  expect(against(spec([each], { result: look('tasks.a.output.0') }))).toEqual([
    'plan.result: result: ${tasks.a.output.0} looks into one child of a for_each: not supported yet',
  ]);
});

test('a plan has so many dependencies, and no more', () => {
  const ids = Array.from({ length: 460 }, (_, at) => `t${at}`);
  const tasks = ids.map((id, at) => task(id, { depends_on: ids.slice(0, at) }));
  expect(against(spec(tasks))).toEqual(['plan.tasks: the plan has 105570 dependencies, the limit is 100000']);
});

test('all offenders are named at once', () => {
  const wrong = spec([
    task('a', { skill: 'work.c', depends_on: ['ghost', 'b'], input: look('inputs.x') }),
    task('b', { depends_on: ['a'] }),
    task('b'),
  ]);
  expect(against(wrong).map((one) => one.split(':')[0])).toEqual([
    'plan.tasks.2.id',
    'plan.tasks.0.skill',
    'plan.tasks.0.input',
    'plan.tasks.0.depends_on.0',
    'plan.tasks.0.depends_on',
  ]);
});

test('what is wrong with the shape of one task hides nothing of the others, nor of its own other fields', () => {
  const tasks: readonly Json[] = [
    { id: 'a', skill: 'work.nobody' },
    { id: 'a', skill: 'work.a' },
    { id: 'b', skill: 'work.a', depends_on: ['ghost'] },
    { id: 'c', skill: 'work.a', for_each: 5, batch: 2, depends_on: ['phantom'], input: look('item') },
    { id: 'd', skil: 'work.a', input: look('tasks.spectre.output') },
    { id: 'e', skill: 'work.a', depends_on: ['d'], retry: { attempts: 0 } },
    { id: 'f', skill: 'work.a', on_failure: 'ask', input: look('inputs.none') },
  ];
  expect(against({ name: 'a-job', plan: { tasks } }).toSorted()).toEqual([
    'plan.tasks.0.skill: task a: no skill work.nobody is offered; there are work.a, work.b, far.work, pipeline.run',
    'plan.tasks.1.id: the task id a is used twice',
    'plan.tasks.2.depends_on.0: task b depends on ghost, which is no task of the plan',
    'plan.tasks.3.depends_on.0: task c depends on phantom, which is no task of the plan',
    'plan.tasks.3.for_each: must be a list, or one lookup',
    'plan.tasks.4.skil: unknown field skil; did you mean skill?',
    'plan.tasks.5.retry.attempts: Too small: expected number to be >=1',
    `plan.tasks.6.input: task f: ${look('inputs.none')}: in inputs there is no none; the keys there are (none)`,
    'plan.tasks.6.on_failure: the failure route "ask" of task f: not supported yet',
  ]);
});

test('where what others refer to is wrong, only that is told: each reference would be one more complaint', () => {
  const nameless = spec([task('a b'), task('b', { depends_on: ['a'], skill: 'work.nobody' })]);
  expect(against(nameless)).toEqual([expect.stringMatching(/^plan\.tasks\.0\.id: /)]);
  const listed: Json = { name: 'a-job', inputs: [1], plan: { tasks: [{ id: 'b', skill: 'nobody' }] } };
  expect(against(listed)).toEqual(['inputs: must be an object']);
});
