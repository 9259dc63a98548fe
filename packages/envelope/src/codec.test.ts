import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeJson, decodeUtf8, encodeFields, encodeJson, joinBytes } from './codec.ts';
import { limits } from './limits.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const nested = (depth: number, inner = ''): string => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;

const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

const refused = (bytes: Uint8Array, bytesMax?: number): string => {
  const decoded = decodeJson(bytes, bytesMax);
  return decoded.ok ? 'decoded' : `${decoded.fault.kind}: ${decoded.fault.detail}`;
};

it('an object whose long fields are text already is the same object', () =>
  fc.assert(
    fc.property(fc.json(), fc.boolean(), (text, isAlone) => {
      const fields = isAlone ? {} : { n: 1, none: undefined };
      const value: unknown = JSON.parse(text);
      expect(encodeFields(fields, { long: JSON.stringify(value) })).toEqual(
        encodeJson({ ...fields, long: value }),
      );
    }),
  ));

it('what came in parts is one piece, in their order', () => {
  const parts = [bytesOf('one '), bytesOf(''), bytesOf('piece')];
  expect(joinBytes(parts)).toEqual(bytesOf('one piece'));
  expect(joinBytes([])).toEqual(new Uint8Array());
});

describe('decoding', () => {
  it('gives back what was encoded, any JSON at all', () =>
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text);
        expect(decodeJson(encodeJson(value))).toEqual({ ok: true, value });
      }),
    ));

  it('counts bytes, not characters, up to the limit and no further', () => {
    const bytes = bytesOf('"äöü"');
    expect(bytes).toHaveLength(8);
    expect(decodeJson(bytes, 8)).toEqual({ ok: true, value: 'äöü' });
    expect(refused(bytes, 7)).toBe('overflow: the body has 8 bytes, the limit is 7');
    expect(refused(new Uint8Array(limits.bodyBytesMax + 1))).toMatch(/^overflow: /);
  });

  it('refuses what is not UTF-8, wherever it stands', () => {
    for (const bad of [
      [0xff],
      [0x22, 0xc3, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xc0, 0xaf, 0x22],
      [0x5b, 0x5d, 0x80],
    ])
      expect(refused(new Uint8Array(bad))).toBe('invalid: not UTF-8');
    expect(decodeUtf8(new Uint8Array([0xf0, 0x9f, 0xa6, 0x8a]))).toEqual({ ok: true, value: '🦊' });
  });

  it('says what is not JSON', () => {
    for (const text of ['', ' ', '{', '[1,]', "{'a':1}", 'NaN', '1 2', '{"a":1}}', '"\u0001"'])
      expect(refused(bytesOf(text))).toMatch(/^invalid: not JSON: ./);
  });

  it('takes 64 levels and refuses the 65th', () => {
    expect(decodeJson(bytesOf(nested(64)))).toMatchObject({ ok: true });
    expect(refused(bytesOf(nested(65)))).toBe('invalid: nested deeper than 64 at byte 64');
    expect(decodeJson(bytesOf(objects(64)))).toMatchObject({ ok: true });
    expect(refused(bytesOf(objects(65)))).toMatch(/nested deeper/);
  });

  it('refuses ten thousand nested arrays before anything parses them', () => {
    expect(refused(bytesOf(nested(10_000)))).toMatch(/nested deeper/);
    expect(refused(bytesOf('['.repeat(1_000_000)))).toMatch(/nested deeper/);
  });

  it('counts levels, not brackets: a long flat list is not deep', () => {
    expect(decodeJson(bytesOf(`[${Array.from({ length: 1_000 }, () => '[]').join(',')}]`))).toMatchObject({
      ok: true,
    });
  });

  it('does not count brackets inside strings, whatever stands before their quotes', () => {
    const brackets = '['.repeat(100);
    for (const inner of [
      `"${brackets}"`,
      `"\\"${brackets}"`,
      `"\\\\","${brackets}"`,
      `"\\\\\\"${brackets}"`,
      `"ä\\u005b${brackets}"`,
    ])
      expect(decodeJson(bytesOf(`[${inner}]`))).toMatchObject({ ok: true });
    expect(refused(bytesOf(`["\\\\",${nested(64)}]`))).toMatch(/nested deeper/);
    expect(refused(bytesOf(`["a\\"",${nested(64)}]`))).toMatch(/nested deeper/);
  });
});
