import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const date = 'Mon, 30 Nov 2026 12:00:00 GMT';

describe('retryAfterMs', () => {
  it.each([
    ['120', 120_000],
    [' 7 ', 7_000],
    ['0', 0],
    ['1.5', 1_500],
    ['86400', 86_400_000],
    ['99999999999999999999999999', Number.MAX_SAFE_INTEGER],
    ['Mon, 30 Nov 2026 12:00:30 GMT', 30_000],
    ['Monday, 30-Nov-26 12:01:00 GMT', 60_000],
    ['Mon, 30 Nov 2026 11:00:00 GMT', 0],
    ['Tue, 30 Nov 2027 12:00:00 GMT', 365 * 86_400_000],
    ['', 1_000],
    ['soon', 1_000],
    ['-5', 1_000],
    ['1e9', 1_000],
    ['Infinity', 1_000],
    ['0x10', 1_000],
    ['2026', 2_026_000],
    ['2026-11-30', 1_000],
  ])('%j is %d ms', (text, expected) => {
    expect(retryAfterMs({ 'retry-after': text, date })).toBe(expected);
  });

  it('is a second where nobody says, or where a date has none to be compared with', () => {
    expect(retryAfterMs({})).toBe(1_000);
    expect(retryAfterMs({ 'retry-after': 'Mon, 30 Nov 2026 12:00:30 GMT' })).toBe(1_000);
    expect(retryAfterMs({ 'retry-after': 'Mon, 30 Nov 2026 12:00:30 GMT', date: 'now' })).toBe(1_000);
  });
});
