import { fail, fault, ok, type Result } from '@foldmesh/envelope';
import { expect, it } from 'vitest';
import { storeMark } from './store-mark.ts';
import { handClock } from './testing/hand-clock.ts';

const marked = (answers: Result<string>[]) => {
  const clock = handClock();
  let asked = 0;
  const mark = storeMark(
    {
      generation: async () => {
        asked += 1;
        return answers.shift() ?? fail(fault('unavailable', 'away'));
      },
    },
    clock,
  );
  return { clock, mark, asked: () => asked };
};

it('is asked for once a second, and once for all who ask at a time', async () => {
  const { clock, mark, asked } = marked([ok('one'), ok('two')]);
  expect(await Promise.all([mark.read(), mark.read(), mark.read()])).toEqual(['one', 'one', 'one']);
  await clock.pass(999);
  expect([await mark.read(), asked()]).toEqual(['one', 1]);
  await clock.pass(1);
  expect([await mark.read(), asked()]).toEqual(['two', 2]);
});

it('is the last one known while the store is away, and unknown only before the first', async () => {
  const away = fail(fault('unavailable', 'away'));
  const { clock, mark, asked } = marked([away, ok('one'), away]);
  expect(await mark.read()).toBeUndefined();
  expect(await mark.read()).toBeUndefined();
  await clock.pass(1_000);
  expect(await mark.read()).toBe('one');
  await clock.pass(5_000);
  expect([await mark.read(), await mark.read(), asked()]).toEqual(['one', 'one', 3]);
});
