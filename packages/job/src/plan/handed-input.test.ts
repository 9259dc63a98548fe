import { expect, test } from 'vitest';
import { JobSpec, type TaskSpec } from '../spec.ts';
import { look, spec, task } from '../testing/specs.ts';
import { handedInput } from './handed-input.ts';

const handed = (more: Partial<TaskSpec>, inputs?: JobSpec['inputs']) => {
  const job = JobSpec.parse(spec([], inputs === undefined ? {} : { inputs }));
  return handedInput(job, task('last', more), (id) => id !== 'nowhere');
};

test('C059: an agent without an input of its own is handed what there is', () => {
  expect(handed({ agent: 'clerk' })).toEqual({});
  expect(handed({ agent: 'clerk', for_each: ['a'] }, { to: 'the sea' })).toEqual({
    inputs: look('inputs'),
    item: look('item'),
  });
  expect(handed({ agent: 'clerk', depends_on: ['a', { task: 'b', optional: true }] })).toEqual({
    results: { a: look('tasks.a.output'), b: look('tasks.b.output') },
  });
});

test('what is wrong with a dependency is said once, where it was written', () => {
  expect(handed({ agent: 'clerk', depends_on: ['nowhere', 'last', 'a'] })).toEqual({
    results: { a: look('tasks.a.output') },
  });
});

test('a skill or a tool without an input gets none', () => {
  for (const run of [{ skill: 'work.a' }, { tool: 'files.list' }])
    expect(handed({ ...run, depends_on: ['a'] }, { to: 'the sea' })).toEqual({});
});
