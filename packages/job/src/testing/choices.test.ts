import { expect, test } from 'vitest';
import { checkJob } from '../on-job-submit.ts';
import { choices } from './choices.ts';
import { randomSpec } from './random-plan.ts';
import { testCatalogue } from './test-catalogue.ts';

test('a tape is read from its beginning, and used up it says the plainest', () => {
  const draw = choices([5, 7, 99, 199]);
  expect([draw.below(3), draw.below(8), draw.chance(1), draw.chance(1)]).toEqual([2, 7, true, true]);
  expect([draw.below(3), draw.chance(99), draw.oneOf(['plain', 'other'])]).toEqual([0, false, 'plain']);
});

test('a chance of nothing never comes, one of all always', () => {
  for (let number = 0; number < 100; number++) {
    expect(choices([number]).chance(0)).toBe(false);
    expect(choices([number]).chance(100)).toBe(true);
  }
});

test('a random job is one that is accepted, and the emptiest tape gives the emptiest job', () => {
  for (let first = 0; first < 200; first++) {
    const tape = Array.from({ length: 300 }, (_, at) => (first * 7_919 + at * 104_729) % 10_007);
    expect(checkJob({ spec: randomSpec(choices(tape)) }, testCatalogue())).toHaveProperty('tasks');
  }
  expect(randomSpec(choices([]))).toMatchObject({ plan: { tasks: [] } });
});
