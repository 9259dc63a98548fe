import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JobId, TaskId, TenantId } from './ids.ts';
import { Key, keyOf, type Position, positionOf } from './key.ts';

const token = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);
const positions: fc.Arbitrary<Position> = fc.record({
  tenant: token.map((id) => TenantId.parse(id)),
  job: token.map((id) => JobId.parse(id)),
  task: fc.oneof(
    fc.constant(TaskId.parse('_job')),
    fc
      .tuple(token, fc.array(fc.nat(999_999_999), { maxLength: 4 }))
      .map(([name, path]) => TaskId.parse([name, ...path].join('~'))),
  ),
  round: fc.integer({ min: 1, max: 999_999_999 }),
  step: fc
    .tuple(fc.nat(999_999_999_999_999), fc.array(fc.nat(999_999_999), { maxLength: 8 }))
    .map(([call, branch]) => [call, ...branch].join('-')),
  call: token,
});

describe('keys', () => {
  it('take any position, and give it back', () =>
    fc.assert(
      fc.property(positions, (position) => {
        expect(positionOf(Key.parse(keyOf(position)))).toEqual(position);
      }),
    ));

  it('differ where positions differ', () =>
    fc.assert(
      fc.property(positions, positions, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        expect(keyOf(one)).not.toBe(keyOf(other));
      }),
    ));

  it.each([
    '',
    'acme/j-1/audit/1/0',
    'acme/j-1/audit/1/0/0/0',
    '/j-1/audit/1/0/0',
    'acme//audit/1/0/0',
    'acme/j-1//1/0/0',
    'acme/j-1/audit/0/0/0',
    'acme/j-1/audit/01/0/0',
    'acme/j-1/audit/x/0/0',
    'acme/j-1/audit/1/x/0',
    'acme/j-1/audit/1/-1/0',
    'acme/j-1/audit/1/2-/0',
    'acme/j-1/audit/1/2.0/0',
    'acme/j-1/audit/1/0/',
    'acme/j-1/audit/1/0/_x',
    'acme/j-1/audit~1~2~3~4~5/1/0/0',
    'acme/j-1/_other/1/0/0',
    'acme/j.1/audit/1/0/0',
    'acme/*/audit/1/0/0',
    ' acme/j-1/audit/1/0/0',
    'acme/j-1/audit/1/0/0\n',
  ])('refuse %j', (text) => {
    expect(Key.safeParse(text).success).toBe(false);
  });

  it('refuse what is too long, in a part or as a whole', () => {
    for (const text of [`acme/j-1/audit/1/0/${'c'.repeat(65)}`, 'a'.repeat(10 * 1024)])
      expect(Key.safeParse(text).success).toBe(false);
  });

  it('refuse what is no text', () => {
    for (const value of [undefined, null, 7, {}, ['acme/j-1/audit/1/0/0']])
      expect(Key.safeParse(value).success).toBe(false);
  });
});
