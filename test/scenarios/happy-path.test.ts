import { expect } from 'vitest';
import { allComplete, everyJobEnds, noDeadLetters, oneWitnessRowPerEffect, stateOf } from './checks.ts';
import { scenario } from './scenario.ts';
import { book, jobOf, look } from './specs.ts';

scenario("a chain, a fan and a merge end in the job's result")
  .submit(
    jobOf(
      [
        book('first'),
        { id: 'each', for_each: [1, 2, 3], skill: 'debug.echo', input: { n: look('item') } },
        {
          id: 'merge',
          skill: 'debug.echo',
          input: { first: look('tasks.first.output.id'), each: look('tasks.each.output') },
        },
      ],
      { result: look('tasks.merge.output') },
    ),
  )
  .run()
  .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters, (ending) => {
    // Where nothing goes wrong nothing is done twice.
    expect([...ending.witness.runs.values()]).toEqual([1]);
    expect(stateOf(ending).tasks.map(({ status }) => status)).toEqual(Array(6).fill('completed'));
  });
