import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type Json } from './json.ts';
import { brokenIn, soundJson, soundText } from './sound.ts';

const half = '😀'.slice(0, 1);
const any = fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(null));
/** Texts of any code units, and numbers of any kind. */
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    any,
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 4 })
      .map((units) => String.fromCharCode(...units)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', half), tie('value'), { maxKeys: 3 }),
  ),
})).value as fc.Arbitrary<Json>;

describe('a value made sound', () => {
  it('can be sent, whatever it was', () =>
    fc.assert(
      fc.property(anything, (value) => {
        expect(brokenIn(soundJson(value))).toBeUndefined();
        expect(() => canonicalJson(soundJson(value))).not.toThrow();
      }),
    ));

  it('is itself where it was sound', () => {
    const value = { a: ['good 😀', 1, null, true], b: {} };
    expect(soundJson(value)).toBe(value);
  });

  it('has the sign for a lost character where half of one stood, in names too', () => {
    expect(soundText(`good ${half}`)).toBe('good \uFFFD');
    expect(soundJson({ [half]: [half, Number.POSITIVE_INFINITY] })).toEqual({ '\uFFFD': ['\uFFFD', null] });
  });
});

it('what cannot be sent is found at its place', () => {
  expect(brokenIn({ a: [1, half] })).toEqual({ path: ['a', 1], what: 'half a character' });
  expect(brokenIn([Number.NaN])).toEqual({ path: [0], what: 'a number that is too large' });
  expect(brokenIn({ a: { [half]: 1 } })).toEqual({ path: ['a'], what: 'half a character in a name' });
});
