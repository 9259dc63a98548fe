import { expect, it } from 'vitest';
import { chain } from './chain.ts';

it('gives back in the order of coming, without those who left from the middle', () => {
  const line = chain<number>();
  const links = Array.from({ length: 6 }, (_, at) => line.push(at));
  for (const at of [0, 3, 5, 3]) {
    const link = links[at];
    if (link) line.remove(link);
  }
  expect(line.size()).toBe(3);
  line.push(6);
  expect(line.first()).toBe(1);
  expect([line.shift(), line.shift(), line.shift(), line.shift(), line.shift()]).toEqual([
    1,
    2,
    4,
    6,
    undefined,
  ]);
  expect(line.size()).toBe(0);
});
