import { describe, expect, it } from 'vitest';
import { nursery } from './nursery.ts';

describe('a nursery', () => {
  it('has settled when all that was started has ended, what that started too', async () => {
    const all = nursery(() => {});
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const ended: string[] = [];
    all.go(async () => {
      await first.promise;
      all.go(async () => {
        await second.promise;
        ended.push('second');
      });
      ended.push('first');
    });
    const settled = all.settled().then(() => ended.push('settled'));
    expect(all.size()).toBe(1);
    first.resolve();
    second.resolve();
    await settled;
    expect([ended, all.size()]).toEqual([['first', 'second', 'settled'], 0]);
  });

  it('tells of the first failure at once, of no other, and throws it when the rest has ended', async () => {
    const heard: unknown[] = [];
    const all = nursery((error) => heard.push(error));
    const slow = Promise.withResolvers<void>();
    const first = new Error('first');
    all.go(() => slow.promise);
    all.go(async () => {
      throw first;
    });
    all.go(async () => {
      throw new Error('second');
    });
    for (let hop = 0; hop < 5; hop++) await Promise.resolve();
    expect(heard).toEqual([first]);
    slow.resolve();
    await expect(all.settled()).rejects.toBe(first);
  });

  it('owns a failure that comes before the first await, too', async () => {
    const heard: unknown[] = [];
    const all = nursery((error) => heard.push(error));
    all.go(() => {
      throw new Error('at once');
    });
    await expect(all.settled()).rejects.toThrow('at once');
    expect(heard.length).toBe(1);
  });
});
