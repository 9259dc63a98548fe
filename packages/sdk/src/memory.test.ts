import { encodeJson, type Json, limits, MemoryQuery } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { factLimits, factOverflow, Recollection, Remembered } from './memory.ts';

const nested = (levels: number): Json => (levels === 0 ? 1 : [nested(levels - 1)]);

describe('factOverflow', () => {
  it('lets a fact pass that is as large as it may be, and none that is larger', () => {
    const frame = encodeJson({ text: 'x', tags: [], data: '' }).length;
    const fits = { text: 'x', data: 'x'.repeat(factLimits.bytesMax - frame) };
    expect(factOverflow(fits)).toBeUndefined();
    expect(factOverflow({ ...fits, tags: ['a'] })?.kind).toBe('overflow');
    expect(factOverflow({ ...fits, data: `${fits.data}x` })?.detail).toContain(String(factLimits.bytesMax));
  });

  it('counts bytes of UTF-8, of the text too', () => {
    expect(factOverflow({ text: '€'.repeat(8_000), data: 'x'.repeat(45_000) })?.kind).toBe('overflow');
    expect(factOverflow({ text: 'e'.repeat(8_000), data: 'x'.repeat(45_000) })).toBeUndefined();
  });

  it('knows how deep data may be, however deep it is', () => {
    expect(factOverflow({ text: 'x', data: nested(factLimits.nestingMax) })).toBeUndefined();
    expect(factOverflow({ text: 'x', data: nested(factLimits.nestingMax + 1) })?.detail).toContain('nested');
    let deepest: Json = 1;
    for (let level = 0; level < 100_000; level++) deepest = [deepest];
    expect(factOverflow({ text: 'x', data: deepest })?.kind).toBe('overflow');
  });

  it('keeps the most that one query gives within one answer', () => {
    const factsMax = 100;
    expect(MemoryQuery.safeParse({ limit: factsMax }).success).toBe(true);
    expect(MemoryQuery.safeParse({ limit: factsMax + 1 }).success).toBe(false);
    const besideMax = 1_024;
    expect(factsMax * (factLimits.bytesMax + besideMax)).toBeLessThan(limits.bodyBytesMax);
  });
});

describe('the answers of memory', () => {
  it('are closed: what they do not name is no answer', () => {
    const fact = { text: 'x', tags: [], job: 'job', at: 1 };
    expect(Recollection.parse({ facts: [fact, { ...fact, data: null }] }).facts).toHaveLength(2);
    expect(Recollection.safeParse({ facts: [{ ...fact, tenant: 'acme' }] }).success).toBe(false);
    expect(Remembered.safeParse({ id: 'acme/day/task/1/1/0', duplicate: false }).success).toBe(true);
    expect(Remembered.safeParse({ id: 'anything', duplicate: false }).success).toBe(false);
  });
});
