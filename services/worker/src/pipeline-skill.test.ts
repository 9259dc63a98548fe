import type { Json } from '@foldmesh/envelope';
import { type Skill, type SkillCall, z } from '@foldmesh/sdk';
import { describe, expect, it } from 'vitest';
import { pipelineRunner } from './pipeline-skill.ts';

const targets = { skill: (name: string) => (name === 'nobody' ? undefined : {}), tool: () => ({}) };
const runner: Skill = pipelineRunner(targets);

/** Runs a pipeline whose tools and skills give back what they got, under their names. */
const piped = async (pipeline: Json, input: Json = {}) => {
  const asked: Json[] = [];
  const echo = async (name: string, given: Json): Promise<Json> => {
    asked.push([name, given]);
    return name === 'split' ? { left: 1, right: [2] } : { name, given };
  };
  const call = { tool: echo, invoke: echo } as unknown as SkillCall; // a pipeline uses nothing else
  const output = await runner.run({ pipeline, input } as never, call); // its own schema's type
  return { output, asked };
};

const step = (
  kind: string,
  ref: string,
  output_keys: readonly string[],
  input_mapping?: Record<string, Json>,
) => ({
  kind,
  ref,
  output_keys: [...output_keys],
  ...(input_mapping !== undefined && { input_mapping }),
});

describe('a pipeline', () => {
  it('hands on from step to step over a flat context, and gives what its last step made', async () => {
    const { output, asked } = await piped(
      {
        inputs: ['doc'],
        templates: { ask: 'Sum up ${text} for ${who}.' },
        steps: [
          step('tool_call', 'files.read', ['page'], { path: 'doc.path', limit: 10 }),
          step('render', 'ask', ['question'], { text: 'page.given.path', who: { value: 'me' } }),
          step('invoke', 'answer', ['reply'], { question: 'question' }),
        ],
      },
      { doc: { path: 'a.txt' }, other: 'unused' },
    );
    expect(asked).toEqual([
      ['files.read', { path: 'a.txt', limit: 10 }],
      ['answer', { question: 'Sum up a.txt for me.' }],
    ]);
    expect(output).toEqual({ reply: { name: 'answer', given: { question: 'Sum up a.txt for me.' } } });
  });

  it('takes literals as they are: a text only where it says so, for a bare one is a key', async () => {
    const { asked } = await piped([
      step('tool_call', 't', ['x'], {
        a: { value: 'text' },
        b: true,
        c: null,
        d: [1, 'x'],
        e: { value: { deep: 1 } },
      }),
    ]);
    expect(asked).toEqual([['t', { a: 'text', b: true, c: null, d: [1, 'x'], e: { deep: 1 } }]]);
  });

  it('puts several output keys to the fields of those names', async () => {
    const { output } = await piped({
      steps: [step('tool_call', 'split', ['left', 'right'])],
      output_keys: ['right', 'left'],
    });
    expect(output).toEqual({ right: [2], left: 1 });
  });

  it('says which step went wrong, and how', async () => {
    await expect(piped({ steps: [step('tool_call', 'split', ['left', 'middle'])] })).rejects.toThrow(
      'step 1: split gave no middle',
    );
    await expect(
      piped(
        { inputs: ['doc'], steps: [step('tool_call', 't', ['x'], { a: 'doc.title' })] },
        { doc: { name: 1 } },
      ),
    ).rejects.toThrow('step 1: doc.title: no doc.title; the keys there are name');
    await expect(
      piped({ inputs: ['doc', 'who'], steps: [step('tool_call', 't', ['x'])] }, { doc: 1 }),
    ).rejects.toThrow('the input lacks who');
    await expect(
      piped({ inputs: ['doc'], steps: [step('tool_call', 't', ['x'])] }, 'no object'),
    ).rejects.toThrow('the input lacks doc');
  });

  it('that is none is refused with everything that is wrong with it', async () => {
    await expect(
      piped({ steps: [step('invoke', 'nobody', ['x'], { a: 'ghost' }), step('retrieve', 'm', ['y'])] }),
    ).rejects.toThrow(/there is no skill nobody.*retrieve asks memory, there is no m to ask/);
    await expect(piped('no pipeline')).rejects.toThrow('invalid');
  });

  it('runs its steps in order, one at a time', async () => {
    const order: string[] = [];
    let open = 0;
    const tool = async (name: string): Promise<Json> => {
      order.push(`${name} ${open++}`);
      await Promise.resolve();
      open -= 1;
      return null;
    };
    const pipeline = { steps: ['a', 'b', 'c'].map((name) => step('tool_call', name, [name])) };
    await runner.run({ pipeline, input: {} } as never, { tool } as unknown as SkillCall); // a pipeline of tools alone
    expect(order).toEqual(['a 0', 'b 0', 'c 0']);
    expect(runner.input).toBeInstanceOf(z.ZodObject);
  });
});
