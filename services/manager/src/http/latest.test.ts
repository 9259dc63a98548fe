import { expect, it } from 'vitest';
import { latest } from './latest.ts';

const wide = () => ({ bytesMax: 1_000, bytes: 0 });

it('holds the latest that fit, and says what has gone', () => {
  const gone: string[] = [];
  const line = latest<string>(10, wide(), (item) => void gone.push(item));
  expect([line.first(), line.end(), line.at(0)]).toEqual([0, 0, undefined]);
  for (const item of ['aaaa', 'bbbb', 'cc']) line.add(item, item.length);
  expect([line.first(), line.end(), gone]).toEqual([0, 3, []]);
  line.add('d', 1);
  expect([line.first(), line.end(), gone]).toEqual([1, 4, ['aaaa']]);
  expect([0, 1, 2, 3, 4].map(line.at)).toEqual([undefined, 'bbbb', 'cc', 'd', undefined]);
});

it('holds one that is too large, and nothing beside it', () => {
  const line = latest<string>(2, wide());
  for (const item of ['a', 'bbbbb']) line.add(item, item.length);
  expect([line.first(), line.at(1)]).toEqual([1, 'bbbbb']);
  line.add('c', 1);
  expect([line.first(), line.at(1), line.at(2)]).toEqual([2, undefined, 'c']);
});

it('holds less where others need the room, which it gives back in the end', () => {
  const room = { bytesMax: 6, bytes: 0 };
  const [one, two] = [latest<string>(10, room), latest<string>(10, room)];
  for (const item of ['aa', 'bb', 'cc']) one.add(item, 2);
  two.add('dd', 2);
  expect([one.first(), two.first(), room.bytes]).toEqual([0, 0, 8]);
  one.add('ee', 2);
  expect([one.first(), room.bytes]).toEqual([2, 6]);
  one.clear();
  expect([one.at(3), one.first(), one.end(), room.bytes]).toEqual([undefined, 4, 4, 2]);
});
