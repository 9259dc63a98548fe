import { expect, it } from 'vitest';
import { workInTime } from './work-in-time.ts';

it('says what the work says, and throws what it throws', () => {
  expect(workInTime(() => [1], 1_000)).toEqual([1]);
  expect(() =>
    workInTime(() => {
      throw new RangeError('too far');
    }, 1_000),
  ).toThrow(new RangeError('too far'));
});

it('stops what would take for ever, also within a pattern', () => {
  const text = `${'a'.repeat(60)}!`;
  expect(() => workInTime(() => /^(a+)+$/.test(text), 50)).toThrow(/timed out after 50ms/);
});
