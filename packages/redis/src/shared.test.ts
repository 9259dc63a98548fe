import { expect, it } from 'vitest';
import { shared } from './shared.ts';

/** Answers that come when they are told to. */
const asked = () => {
  const open: ((answer: number | Error) => void)[] = [];
  const ask = shared(
    () =>
      new Promise<number>((resolve, reject) => {
        open.push((answer) => (typeof answer === 'number' ? resolve(answer) : reject(answer)));
      }),
  );
  return { ask, open };
};

it('those who ask while an answer is under way share the next one, and never that one', async () => {
  const { ask, open } = asked();
  const first = ask();
  const later = [ask(), ask(), ask()];
  expect(open).toHaveLength(1);
  open[0]?.(1);
  expect(await first).toBe(1);
  await expect.poll(() => open.length).toBe(2);
  open[1]?.(2);
  expect(await Promise.all(later)).toEqual([2, 2, 2]);
});

it('after an answer the next one is asked for anew', async () => {
  const { ask, open } = asked();
  const first = ask();
  open[0]?.(1);
  await first;
  const second = ask();
  expect(open).toHaveLength(2);
  open[1]?.(2);
  expect(await second).toBe(2);
});

it('who waits behind one that failed is asked for all the same', async () => {
  const { ask, open } = asked();
  const first = ask();
  const second = ask();
  open[0]?.(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  await expect.poll(() => open.length).toBe(2);
  open[1]?.(2);
  expect(await second).toBe(2);
});
