import { describe, expect, it } from 'vitest';
import { systemRandom } from './system-random.ts';

describe('systemRandom', () => {
  it('gives numbers in [0, 1), spread over the whole of it', () => {
    const drawn = Array.from({ length: 2_000 }, () => systemRandom.float());
    expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(drawn.map((number) => Math.floor(number * 10))).size).toBe(10);
    expect(new Set(drawn).size).toBe(drawn.length);
  });

  it('gives as many bytes as were asked, as lower-case hex', () => {
    expect(systemRandom.hex(16)).toMatch(/^[0-9a-f]{32}$/);
    expect(systemRandom.hex(16)).not.toBe(systemRandom.hex(16));
    expect(systemRandom.hex(0)).toBe('');
    expect(systemRandom.hex(5_000)).toMatch(/^[0-9a-f]{10000}$/);
  });

  it('gives no bytes twice, however many are asked for at a time', () => {
    const drawn = Array.from({ length: 3_000 }, (_, at) => systemRandom.hex(12 + (at % 9)).slice(0, 24));
    expect(new Set(drawn).size).toBe(drawn.length);
  });
});
