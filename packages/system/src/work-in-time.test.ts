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
  expect(() => workInTime(() => /^(a+)+$/.test(text), 50)).toThrow(/timed out after 50 ms/);
});

it('blames it for nothing that others computed meanwhile', () => {
  const never = new Int32Array(new SharedArrayBuffer(4));
  let tries = 0;
  const work = (): number => {
    tries += 1;
    // As long as it waits it computes nothing: so it is let go on for longer.
    if (tries < 3) Atomics.wait(never, 0, 0, 1_000);
    return tries;
  };
  expect(workInTime(work, 50)).toBe(3);
});

it('gives up what waits each time', () => {
  const never = new Int32Array(new SharedArrayBuffer(4));
  let tries = 0;
  const wait = (): void => {
    tries += 1;
    Atomics.wait(never, 0, 0, 5_000);
  };
  expect(() => workInTime(wait, 5)).toThrow(/timed out after 5 ms/);
  expect(tries).toBe(4);
});
