import { expect, it } from 'vitest';
import { sharedLook } from './shared-look.ts';

/** Looks that end when they are told to. */
const looks = () => {
  const begun: {
    readonly name: string;
    readonly end: (said: string) => void;
    readonly fail: (error: Error) => void;
  }[] = [];
  const look = sharedLook((name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    begun.push({ name, end: resolve, fail: reject });
    return promise;
  });
  return { begun, look };
};

it('is one for the first, and one more for all who come while it is under way', async () => {
  const { begun, look } = looks();
  const first = look('a');
  const others = Array.from({ length: 100 }, () => look('a'));
  expect(begun).toHaveLength(1);
  begun[0]?.end('old');
  expect(await first).toBe('old');
  await expect.poll(() => begun.length).toBe(2);
  const later = look('a');
  begun[1]?.end('new');
  expect(new Set(await Promise.all(others))).toEqual(new Set(['new']));
  await expect.poll(() => begun.length).toBe(3);
  begun[2]?.end('newest');
  expect(await later).toBe('newest');
  expect(look('a')).not.toBe(later);
});

it('is not shared by those who ask for something else', async () => {
  const { begun, look } = looks();
  const both = [look('a'), look('b')];
  expect(begun.map(({ name }) => name)).toEqual(['a', 'b']);
  for (const { name, end } of begun) end(name);
  expect(await Promise.all(both)).toEqual(['a', 'b']);
});

it('that fails does so for whom it was, and the next is another', async () => {
  const { begun, look } = looks();
  const first = look('a');
  const second = look('a');
  begun[0]?.fail(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.end('back');
  expect(await second).toBe('back');
});
