import { expect, it } from 'vitest';
import { seededRandom } from './seeded-random.ts';

const floats = (seed: number | string, count: number): readonly number[] => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random.float());
};

it('gives the same for the same seed, and something else for its neighbours', () => {
  expect(floats(7, 20)).toEqual(floats('7', 20));
  const first = new Set([7, 8, '7/faults', '7/clock'].map((seed) => floats(seed, 1)[0]));
  expect(first.size).toBe(4);
});

it('never changes: a seed that showed a fault must still show it next year', () => {
  expect(floats(1, 3)).toEqual([0.4169263441581279, 0.5315385682042688, 0.6310751696582884]);
  expect(seededRandom('pinned').hex(8)).toBe('5b847b20354459ec');
});

it('is even enough: each tenth of [0, 1) gets about a tenth', () => {
  const tenths = Array.from({ length: 10 }, () => 0);
  for (const float of floats('even', 20_000)) {
    expect(float).toBeGreaterThanOrEqual(0);
    expect(float).toBeLessThan(1);
    const tenth = Math.floor(float * 10);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  for (const count of tenths) expect(Math.abs(count - 2_000)).toBeLessThan(200);
});

it('gives hex of the length asked for', () => {
  expect(seededRandom(1).hex(16)).toMatch(/^[0-9a-f]{32}$/);
  expect(seededRandom(1).hex(0)).toBe('');
});
