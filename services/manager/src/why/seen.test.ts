import type { Cause } from '@foldmesh/client';
import { expect, it } from 'vitest';
import { gathered, seen } from './seen.ts';

const cause = (more: Partial<Cause> = {}): Cause => ({
  reason: 'call',
  since: 10,
  on: 'worker.default',
  text: 'it waits',
  ...more,
});

it('tells alike causes as one, since the first of them, with the first tasks', () => {
  const alike = Array.from({ length: 7 }, (_, n) =>
    seen(cause({ task: `t${n}`, since: 20 - n, until: 50 + n })),
  );
  expect(gathered(alike)).toEqual({
    causes: [
      cause({
        task: 't0',
        since: 14,
        until: 50,
        text: 'it waits (and 6 more like it)',
        count: 7,
        examples: ['t0', 't1', 't2', 't3', 't4'],
      }),
    ],
    left_out: 0,
  });
});

it('counts the tasks of each, and not the causes', () => {
  const two = [cause({ task: 'a', count: 25, examples: ['a', 'b'] }), cause({ task: 'z' })];
  expect(gathered(two.map(seen)).causes[0]).toMatchObject({ count: 26, examples: ['a', 'b', 'z'] });
});

it('puts first what others wait for, and of equals the older', () => {
  const all = [
    cause({ reason: 'dependency', on: 'a' }),
    cause({ on: 'young', since: 30 }),
    cause({ on: 'old' }),
    cause({ reason: 'storage', on: 'inbox' }),
    cause({ reason: 'dead_letter', on: 'x' }),
  ];
  expect(gathered(all.map(seen)).causes.map(({ on }) => on)).toEqual(['inbox', 'old', 'young', 'a', 'x']);
});

it('leaves out what is beyond twenty, and says how many', () => {
  const many = Array.from({ length: 23 }, (_, n) => seen(cause({ on: `worker.p${n}` })));
  const { causes, left_out } = gathered(many);
  expect([causes.length, left_out]).toEqual([20, 3]);
});
