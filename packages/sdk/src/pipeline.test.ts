import type { Json } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkPipeline, outputKeysOf, type Targets } from './pipeline.ts';

const skills = new Map([
  ['sum', { outputKeys: ['total', 'count'] }],
  ['free', {}],
]);
const tools = new Map([['files.read', { outputKeys: ['text', 'bytes'] }]]);
const targets: Targets = { skill: (name) => skills.get(name), tool: (name) => tools.get(name) };

const problemsOf = (value: Json): readonly string[] => {
  const checked = checkPipeline(value, targets);
  return 'problems' in checked ? checked.problems : [];
};

const read = {
  kind: 'tool_call',
  ref: 'files.read',
  input_mapping: { path: 'path' },
  output_keys: ['text', 'bytes'],
};
const whole = {
  name: 'letter',
  inputs: ['path', 'who'],
  templates: { greeting: 'Dear ${name}: ${body}' },
  steps: [
    read,
    {
      kind: 'render',
      ref: 'greeting',
      input_mapping: { name: 'who', body: 'text' },
      output_keys: ['letter'],
    },
    {
      kind: 'invoke',
      ref: 'sum',
      input_mapping: { of: { value: [1, 2] }, scale: 2, deep: 'letter' },
      output_keys: ['result'],
    },
  ],
  output_keys: ['letter', 'result'],
};

describe('checkPipeline', () => {
  it('accepts a whole one, and a list of steps alone', () => {
    expect(checkPipeline(whole, targets)).toEqual({ pipeline: whole });
    const step = { kind: 'invoke', ref: 'free', output_keys: ['a', 'b'] };
    expect(checkPipeline([step], targets)).toEqual({ pipeline: { steps: [step] } });
  });

  it('takes a step that asks memory, with looked-up values and literals', () => {
    const mapping = { text: 'words', tags: ['a'], this_job: true, limit: { value: 5 } };
    const step = { kind: 'retrieve', ref: 'memory', input_mapping: mapping, output_keys: ['facts'] };
    expect(problemsOf({ inputs: ['words'], steps: [step] })).toEqual([]);
    const { input_mapping: _, ...bare } = step;
    expect(problemsOf([bare])).toEqual([]);
  });

  it('knows of such a step what memory does not take', () => {
    const steps = [
      {
        kind: 'retrieve',
        ref: 'memory.query',
        input_mapping: { text: 'later', job: 'words', tenant: { value: 'acme' } },
        output_keys: ['text', 'tags'],
      },
      { kind: 'retrieve', ref: 'memory', input_mapping: { limit: 1000 }, output_keys: ['facts'] },
      {
        kind: 'retrieve',
        ref: 'memory',
        input_mapping: { this_job: { value: 'yes' } },
        output_keys: ['facts'],
      },
    ];
    expect(problemsOf({ inputs: ['words'], steps })).toEqual([
      'step 1: input_mapping: nothing before it makes later',
      'step 1: ref: retrieve asks memory, there is no memory.query to ask',
      'step 1: input_mapping: memory takes no job, it takes text, tags, this_job, limit',
      'step 1: input_mapping: memory takes no tenant, it takes text, tags, this_job, limit',
      'step 1: output_keys: what was retrieved is one list and has one key',
      expect.stringContaining('step 2: input_mapping: limit'),
      expect.stringContaining('step 3: input_mapping: this_job'),
    ]);
  });

  it('names all offenders at once, each with its step', () => {
    expect(
      problemsOf({
        inputs: ['path'],
        templates: { greeting: 'Dear ${name}' },
        steps: [
          { kind: 'invoke', ref: 'nobody', output_keys: ['a'] },
          { kind: 'tool_call', ref: 'sum', output_keys: ['b'] },
          { ...read, output_keys: ['text', 'size', 'owner'] },
          { kind: 'render', ref: 'gone', output_keys: ['c'] },
          { kind: 'render', ref: 'greeting', input_mapping: { nam: 'text' }, output_keys: ['d', 'e'] },
          {
            kind: 'invoke',
            ref: 'sum',
            input_mapping: { x: 'later', y: 'text.deep' },
            output_keys: ['later'],
          },
          { kind: 'retrieve', ref: 'facts', output_keys: ['f'] },
        ],
        output_keys: ['later', 'never'],
      }),
    ).toEqual([
      'step 1: ref: there is no skill nobody',
      'step 2: ref: there is no tool sum',
      'step 3: output_keys: files.read gives no size, it gives text, bytes',
      'step 3: output_keys: files.read gives no owner, it gives text, bytes',
      'step 4: ref: there is no template gone',
      'step 5: the template greeting uses name, which input_mapping does not give',
      'step 5: output_keys: a rendered text has one key',
      'step 6: input_mapping: nothing before it makes later',
      'step 7: ref: retrieve asks memory, there is no facts to ask',
      'output_keys: no step makes never',
    ]);
  });

  it('names all that is wrong with its form at once, with the place', () => {
    const problems = problemsOf({
      steps: [
        { kind: 'jump', ref: 'x', output_keys: ['a'] },
        { kind: 'invoke', ref: 'no spaces', output_keys: [], mapping: {} },
      ],
      loops: 3,
    });
    expect(problems.map((problem) => problem.replace(/: .*/, ''))).toEqual([
      'steps.0.kind',
      'steps.1.ref',
      'steps.1.output_keys',
      'steps.1.mapping',
      'loops',
    ]);
  });

  it('lets one key take a whole output, whatever its fields are called', () => {
    expect(problemsOf([{ kind: 'invoke', ref: 'sum', output_keys: ['anything'] }])).toEqual([]);
  });

  it('knows no template but its own: a name that every object has is none', () => {
    expect(problemsOf([{ kind: 'render', ref: 'constructor', output_keys: ['a'] }])).toEqual([
      'step 1: ref: there is no template constructor',
    ]);
  });

  it.each([
    [[]],
    [{}],
    [null],
    ['text'],
    [{ steps: [] }],
    [{ steps: Array.from({ length: 101 }, () => read), inputs: ['path'] }],
  ])('refuses %j', (value) => {
    expect(problemsOf(value)).not.toEqual([]);
  });

  it('takes a hundred steps', () => {
    expect(problemsOf({ steps: Array.from({ length: 100 }, () => read), inputs: ['path'] })).toEqual([]);
  });
});

describe('outputKeysOf', () => {
  it('knows the fields of an object, and says nothing of anything else', () => {
    expect(outputKeysOf(z.strictObject({ a: z.string(), b: z.int().optional() }))).toEqual(['a', 'b']);
    expect(outputKeysOf(z.object({ a: z.string() }).refine(() => true))).toEqual(['a']);
    expect(outputKeysOf(z.array(z.string()))).toBeUndefined();
    expect(outputKeysOf(z.union([z.object({ a: z.string() }), z.null()]))).toBeUndefined();
    expect(outputKeysOf(undefined)).toBeUndefined();
  });
});
