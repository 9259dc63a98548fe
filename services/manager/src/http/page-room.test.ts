import { expect, it } from 'vitest';
import { pageRoom } from './page-room.ts';

const taken = (all: readonly string[], countMax: number, bytesMax: number): readonly string[] => {
  const hasRoom = pageRoom(countMax, bytesMax);
  const end = all.findIndex((one) => !hasRoom(one));
  return end < 0 ? all : all.slice(0, end);
};

it('is for so many, and for so many bytes', () => {
  expect(taken(['a', 'b', 'c'], 2, 100)).toEqual(['a', 'b']);
  expect(taken(['aaa', 'bbb', 'ccc'], 9, 10)).toEqual(['aaa', 'bbb']);
  expect(taken(['äää', 'bbb'], 9, 12)).toEqual(['äää']);
});

it('is there for the first, however large it is', () => {
  expect(taken(['a'.repeat(20), 'b'], 9, 10)).toEqual(['a'.repeat(20)]);
});
