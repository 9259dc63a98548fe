import { describe, expect, it } from 'vitest';
import { bench } from './command-line.ts';

const plan = (...tasks: readonly string[]): string =>
  `name: bad\ninputs: { word: hello }\nplan:\n  tasks:\n${tasks.map((task) => `    - ${task}\n`).join('')}`;
const a = '{ id: a, skill: debug.echo }';

/** What a person wrote, and the one clear line that answers it. */
const cases: readonly (readonly [what: string, text: string, says: RegExp])[] = [
  ['unreadable YAML', 'name: bad\nplan:\n  tasks: [\n', /^job\.yaml:\d+(:\d+)?: .+$/],
  ['a text that is no object', '- 1\n', /^job\.yaml:1: a job is an object/],
  ['a field used twice', 'name: bad\nname: worse\nplan: { tasks: [] }\n', /^job\.yaml:2(:\d+)?: /],
  ['an unknown field', `${plan(a)}colour: red\n`, /^job\.yaml:6: colour: unknown field colour$/],
  [
    'an unknown field of a task',
    plan('{ id: a, skil: debug.echo }'),
    /^job\.yaml:5: plan\.tasks\.0\.skil: unknown field skil; did you mean skill\?$/m,
  ],
  [
    'a cycle',
    plan('{ id: a, skill: debug.echo, depends_on: [b] }', '{ id: b, skill: debug.echo, depends_on: [a] }'),
    /^job\.yaml:\d: .*circle: (a → b → a|b → a → b)$/,
  ],
  [
    'an unknown dependency',
    plan('{ id: a, skill: debug.echo, depends_on: [z] }'),
    /^job\.yaml:5: .*a depends on z, which is no task of the plan$/,
  ],
  [
    'a duplicate dependency',
    plan(a, '{ id: b, skill: debug.echo, depends_on: [a, a] }'),
    /^job\.yaml:6: .*b depends on a twice$/,
  ],
  [
    'a dependency on itself',
    plan('{ id: a, skill: debug.echo, depends_on: [a] }'),
    /^job\.yaml:5: .*a depends on itself/,
  ],
  ['a task id used twice', plan(a, a), /^job\.yaml:6: .*the task id a is used twice$/],
  [
    'an unknown skill',
    plan('{ id: a, skill: debug.eco }'),
    /^job\.yaml:5: .*no skill debug\.eco is offered; there are .*debug\.echo/,
  ],
  [
    'an unknown tool',
    plan('{ id: a, tool: files.lst }'),
    /^job\.yaml:5: .*no tool files\.lst is offered; there are .*files\.list/,
  ],
  [
    'an unknown pipeline',
    plan('{ id: a, pipeline: nothing }'),
    /^job\.yaml:5: .*no pipeline nothing is offered; there are none$/,
  ],
  [
    'a pipeline with an unknown reference',
    plan('{ id: a, pipeline: [{ kind: tool_call, ref: files.lst, output_keys: [x] }] }'),
    /^job\.yaml:5: .*step 1: ref: there is no tool files\.lst$/,
  ],
  [
    'a lookup into inputs that is not there',
    plan("{ id: a, skill: debug.echo, input: '${inputs.wrd}' }"),
    /^job\.yaml:5: .*no wrd; the keys there are word$/,
  ],
  [
    'a lookup into an unknown task',
    plan("{ id: a, skill: debug.echo, input: '${tasks.z.output}' }"),
    /^job\.yaml:5: .*there is no task z$/,
  ],
  [
    'an item outside a for_each',
    plan("{ id: a, skill: debug.echo, input: '${item}' }"),
    /^job\.yaml:5: .*only in the input of a for_each$/,
  ],
  [
    'two ways to run one task',
    plan('{ id: a, skill: debug.echo, tool: files.list }'),
    /^job\.yaml:5: .*exactly one of agent, skill, tool, pipeline; a names 2$/,
  ],
  [
    'an unknown agent',
    plan('{ id: a, agent: writer }'),
    /^job\.yaml:5: .*no agent writer is offered; there are none$/,
  ],
  [
    'a budget of tokens',
    `${plan(a)}budget: { tokens: 10 }\n`,
    /^job\.yaml:6: budget\.tokens: a budget of tokens: not supported yet$/,
  ],
  [
    'a failure route that is not built',
    plan('{ id: a, skill: debug.echo, on_failure: ask }'),
    /^job\.yaml:5: .*on_failure.* not supported yet$/,
  ],
  ['no plan', 'name: bad\n', /^job\.yaml(:\d)?: plan: .*not supported yet$/],
  [
    'a body over the limit',
    `name: bad\ngoal: "${'x'.repeat(9 * 1024 * 1024)}"\n`,
    /^job\.yaml: .* bytes, the limit is 8388608$/,
  ],
  ['10,000 nested lists', '['.repeat(10_000), /^job\.yaml:1(:\d+)?: .+$/],
];

describe('bad input', () => {
  it.for(cases)('says one clear thing about %s, and dispatches nothing', async ([, text, says]) => {
    await using at = await bench();
    await at.write('job.yaml', text);
    const { code, out, err } = await at.run(['run', 'job.yaml']);
    expect([code, out]).toEqual([2, '']);
    expect(err.trimEnd()).toMatch(says);
    expect(err.trimEnd().split('\n').length).toBe(1);
  });

  it('names all offenders at once', async () => {
    await using at = await bench();
    await at.write(
      'job.yaml',
      plan('{ id: a, skill: nope, depends_on: [y] }', "{ id: b, tool: nope, input: '${inputs.z}' }"),
    );
    const { code, err } = await at.run(['plan', 'job.yaml']);
    expect(code).toBe(2);
    expect(err).toMatch(/no skill nope/);
    expect(err).toMatch(/depends on y/);
    expect(err).toMatch(/no tool nope/);
    expect(err).toMatch(/in inputs there is no z/);
  });

  it.for([
    [['run'], /missing required argument/],
    [['fly'], /unknown command/],
    [['run', 'nowhere.yaml'], /^nowhere\.yaml: there is no such file$/m],
    [['run', '.'], /^\.: it is a folder$/m],
    [['run', 'job.yaml', '--input', 'root'], /--input wants name=value/],
    [['run', 'job.yaml', '--jsn'], /unknown option/],
  ] as const)('answers %s with one line and exit code 2', async ([args, says]) => {
    await using at = await bench();
    await at.write('job.yaml', plan(a));
    const { code, err } = await at.run(args);
    expect(code).toBe(2);
    expect(err).toMatch(says);
    expect(err).not.toMatch(/ at .*\(.*:\d+:\d+\)/);
  });

  it('names what is wrong with the configuration', async () => {
    await using at = await bench();
    await at.write('job.yaml', plan(a));
    await at.write('foldmesh.yaml', 'worker:\n  slots: many\n');
    const { code, err } = await at.run(['run', 'job.yaml']);
    expect(code).toBe(2);
    expect(err).toMatch(/^foldmesh\.yaml:2: worker\.slots: .+$/m);
  });
});
