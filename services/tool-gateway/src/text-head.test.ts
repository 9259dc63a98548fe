import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, textHead } from './text-head.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const head = (content: Uint8Array, bytesMax: number): string => {
  const text = textHead('it', content, bytesMax);
  return text.ok ? text.value : `fault: ${text.fault.kind} ${text.fault.detail}`;
};

describe('textHead', () => {
  it.each([
    ['plain', 3, 'pla'],
    ['plain', 5, 'plain'],
    ['aé', 2, 'a'],
    ['a€b', 3, 'a'],
    ['a😀b', 4, 'a'],
    ['a😀b', 5, 'a😀'],
    ['😀', 3, ''],
    ['', 10, ''],
  ])('%s at %d is %j', (text, at, expected) => {
    expect(head(bytes(text), at)).toBe(expected);
  });

  it('is a start of the text, cut between characters, and misses less than one of them', async () => {
    await fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '0')),
        fc.nat(40),
        (text, at) => {
          const start = head(bytes(text), at);
          expect(text.startsWith(start)).toBe(true);
          expect(bytesOf(start)).toBeLessThanOrEqual(at);
          if (bytes(text).length > at) expect(bytesOf(start)).toBeGreaterThan(at - 4);
          else expect(start).toBe(text);
        },
      ),
    );
  });

  it('keeps the mark at the start of a file', () => {
    expect(head(bytes('\uFEFFa'), 100)).toBe('\uFEFFa');
  });

  it.each([
    ['a picture', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a])],
    ['Latin-1', new Uint8Array([0x61, 0xe9, 0x62])],
    ['a NUL', bytes('a\0b')],
    ['half a character at the end', new Uint8Array([0x61, 0xf0, 0x9f])],
    ['half of a pair', new Uint8Array([0xed, 0xa0, 0x80])],
  ])('takes %s for no text', (_, content) => {
    expect(head(content, 100)).toBe('fault: invalid it is no text in UTF-8');
  });

  it('judges only what it hands on', () => {
    expect(head(new Uint8Array([0x61, 0x62, 0x00, 0xff]), 2)).toBe('ab');
  });
});
