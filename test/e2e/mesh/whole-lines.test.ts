import { expect, it } from 'vitest';
import { wholeLines } from './whole-lines.ts';

it('gives what has an end, and not the beginning of what is just being written', () => {
  expect(wholeLines('{"a":1}\n{"b":2}\n')).toEqual(['{"a":1}', '{"b":2}']);
  expect(wholeLines('{"a":1}\n{"b"')).toEqual(['{"a":1}']);
  expect([wholeLines(''), wholeLines('{"a"')]).toEqual([[], []]);
});
