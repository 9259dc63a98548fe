import { expect, test } from 'vitest';
import { choices } from './choices.ts';

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
