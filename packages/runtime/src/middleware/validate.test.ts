import { fail, fault, ok } from '@foldmesh/envelope';
import { expect, it } from 'vitest';
import { callOf } from '../testing/fake-host.ts';
import { validate } from './validate.ts';

const even = validate<number, number>((n) =>
  n % 2 === 0 ? ok(n / 2) : fail(fault('invalid', `${n} is odd`)),
);

it('refuses before anything runs, and hands on the request as the check gives it', async () => {
  const seen: number[] = [];
  const handler = even(async (n) => {
    seen.push(n);
    return ok(n);
  });
  expect([await handler(4, callOf()), await handler(3, callOf())]).toEqual([
    ok(2),
    fail(fault('invalid', '3 is odd')),
  ]);
  expect(seen).toEqual([2]);
});
