import { canonicalJson, type Json } from '@foldmesh/envelope';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { sameJson } from './same-json.ts';

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;

it('finds two values the same exactly where they would be written down alike', () =>
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(sameJson(one, other)).toBe(canonicalJson(one) === canonicalJson(other));
      expect(sameJson(one, JSON.parse(JSON.stringify(one)))).toBe(true);
    }),
  ));

it('finds both zeros the same, for they are written down alike', () => {
  expect(sameJson({ a: -0 }, { a: 0 })).toBe(true);
  expect(sameJson([0], [-0])).toBe(true);
});

it('takes what is undefined for what is not there', () => {
  expect(sameJson({ a: 1, b: undefined }, { a: 1 })).toBe(true);
  expect(sameJson({ a: [{ b: undefined }] }, { a: [{}] })).toBe(true);
  expect(sameJson({ a: null }, {})).toBe(false);
});
