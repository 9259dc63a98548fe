import { limits } from '@foldmesh/envelope';
import { defineSkill, z } from '@foldmesh/sdk';
import { expect } from 'vitest';
import { allComplete, everyJobEnds, noDeadLetters, oneWitnessRowPerEffect, stateOf } from './checks.ts';
import { scenario } from './scenario.ts';
import { jobOf, look } from './specs.ts';

const weigh = defineSkill({
  name: 'merge.weigh',
  input: z.array(z.object({ says: z.string() })),
  run: async (parts) => ({
    parts: parts.length,
    chars: parts.reduce((sum, { says }) => sum + says.length, 0),
  }),
});

const bytes = Math.floor(limits.inlineBytesMax * 0.9);

scenario('forty results that are each just small enough are merged', {
  workers: 2,
  slots: 8,
  skills: [weigh],
})
  .submit(
    jobOf(
      [
        {
          id: 'part',
          for_each: Array.from({ length: 40 }, (_, n) => n),
          tool: 'witness.keyed',
          input: { id: `part-${look('item')}`, bytes },
        },
        { id: 'merge', skill: 'merge.weigh', input: look('tasks.part.output') },
      ],
      { result: look('tasks.merge.output') },
    ),
  )
  .run()
  .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters, (ending) => {
    expect(stateOf(ending).tasks[1]?.output).toEqual({ value: { parts: 40, chars: 40 * bytes } });
  });

scenario('no task, one task, two tasks: the merge gets a list each time', { skills: [] })
  .submit(jobOf([]), 'none')
  .submit(
    jobOf([
      { id: 'each', for_each: [], tool: 'witness.keyed', input: {} },
      { id: 'm', skill: 'debug.echo', input: look('tasks.each.output') },
    ]),
    'empty',
  )
  .submit(
    jobOf([
      { id: 'each', for_each: [1], skill: 'debug.echo', input: look('item') },
      { id: 'm', skill: 'debug.echo', input: look('tasks.each.output') },
    ]),
    'one',
  )
  .submit(
    jobOf([
      { id: 'each', for_each: [1, 2], skill: 'debug.echo', input: look('item') },
      { id: 'm', skill: 'debug.echo', input: look('tasks.each.output') },
    ]),
    'two',
  )
  .run()
  .expect(everyJobEnds, noDeadLetters, (ending) => {
    expect([stateOf(ending, 'none').status, stateOf(ending, 'none').end_reason]).toEqual([
      'completed',
      'empty',
    ]);
    expect(['empty', 'one', 'two'].map((job) => stateOf(ending, job).tasks[1]?.output)).toEqual([
      { value: [] },
      { value: [1] },
      { value: [1, 2] },
    ]);
  });

scenario('a result that is too large or too deep is a fault of its task, with the limit in it', {
  skills: [
    defineSkill({ name: 'huge', input: z.unknown(), run: async () => 'x'.repeat(limits.bodyBytesMax) }),
    defineSkill({
      name: 'deep',
      input: z.unknown(),
      run: async () => JSON.parse('['.repeat(60) + ']'.repeat(60)),
    }),
  ],
})
  .submit(jobOf([{ id: 'a', skill: 'huge', input: null }]), 'huge')
  .submit(jobOf([{ id: 'a', skill: 'deep', input: null }]), 'deep')
  .run()
  .expect(everyJobEnds, noDeadLetters, (ending) => {
    expect(stateOf(ending, 'huge').fault).toMatchObject({
      kind: 'overflow',
      detail: expect.stringContaining('8388608'),
    });
    expect(stateOf(ending, 'deep').fault).toMatchObject({
      kind: 'overflow',
      detail: expect.stringContaining('deeper than 48'),
    });
  });
