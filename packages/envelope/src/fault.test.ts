import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, Fault, fault } from './fault.ts';
import { limits } from './limits.ts';

const bytes = (text: string): number => new TextEncoder().encode(text).length;
const mark = ' … (cut)';

describe('cutting a text', () => {
  it('leaves alone what fits, to the byte', () => {
    for (const text of ['', 'short', '🦊'.repeat(10)]) expect(cut(text, bytes(text))).toBe(text);
    expect(cut('🦊'.repeat(10), 100)).toBe('🦊'.repeat(10));
  });

  it('never splits a character, and marks that something is missing', () => {
    for (let bytesMax = 20; bytesMax < 36; bytesMax++) {
      const text = cut('🦊'.repeat(20), bytesMax);
      expect(text).toMatch(/^🦊+ … \(cut\)$/u);
      expect(bytes(text)).toBeLessThanOrEqual(bytesMax);
      expect(bytes(text)).toBeGreaterThan(bytesMax - 4);
    }
  });

  it('leaves no half character, cut or not', () => {
    const half = '🦊'.slice(0, 1);
    expect(cut(`a ${half}`, 100)).toBe('a \uFFFD');
    expect(fault('invalid', `why ${half}`).detail).toBe('why \uFFFD');
  });

  it('keeps within its bytes, and keeps a start of the text', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'ä', '…', '🦊', '\n', ' '), maxLength: 100 });
    return fc.assert(
      fc.property(texts, fc.integer({ min: 10, max: 60 }), (text, bytesMax) => {
        const short = cut(text, bytesMax);
        expect(bytes(short)).toBeLessThanOrEqual(bytesMax);
        if (short !== text) expect(text.startsWith(short.slice(0, -mark.length))).toBe(true);
      }),
    );
  });

  it('keeps within its bytes where not even the mark has room', () => {
    for (let bytesMax = 0; bytesMax < 10; bytesMax++)
      expect(bytes(cut('a long text', bytesMax))).toBeLessThanOrEqual(bytesMax);
  });

  it('keeps a replacement character that was in the text', () => {
    expect(cut(`${'\uFFFD'.repeat(3)}${'a'.repeat(50)}`, 19)).toBe(`\uFFFD\uFFFD\uFFFD${mark}`);
  });
});

describe('faults', () => {
  it('have a detail of at most 4 KiB', () => {
    const { detail } = fault('invalid', '🦊'.repeat(5_000));
    expect(bytes(detail)).toBeLessThanOrEqual(limits.faultDetailBytesMax);
    expect(detail.endsWith(mark)).toBe(true);
  });

  it('say when to ask again, or never', () => {
    expect(fault('unavailable', 'away', { source: 'x', retry_after_ms: 0 })).toEqual({
      kind: 'unavailable',
      detail: 'away',
      source: 'x',
      retry_after_ms: 0,
    });
    expect(fault('refused', 'no')).toEqual({ kind: 'refused', detail: 'no' });
    expect(Fault.safeParse(fault('throttled', 'full', { retry_after_ms: 1.5 })).success).toBe(false);
    expect(Fault.safeParse({ kind: 'strange', detail: '' }).success).toBe(false);
  });
});
