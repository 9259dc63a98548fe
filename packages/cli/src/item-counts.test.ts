import { expect, it } from 'vitest';
import { itemCounts } from './item-counts.ts';

it('counts the items of a list and of an input that is one, and of nothing else', () => {
  const tasks = [
    { id: 'list', for_each: [1, 2, 3] },
    { id: 'input', for_each: '${inputs.many}' },
    { id: 'output', for_each: '${tasks.list.output}' },
    { id: 'deeper', for_each: '${inputs.many.of}' },
    { id: 'single' },
  ];
  const job = { inputs: { many: [1, 2] }, plan: { tasks } };
  expect([...itemCounts(job)]).toEqual([
    ['list', 3],
    ['input', 2],
  ]);
  for (const none of [null, [], { plan: null }, { plan: { tasks: [null, 1] } }])
    expect(itemCounts(none).size).toBe(0);
});
