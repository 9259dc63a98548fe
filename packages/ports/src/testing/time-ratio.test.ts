import { expect, test } from 'vitest';
import { timeRatio } from './time-ratio.ts';

/** Work that takes time on a clock of its own, and now and then longer, as on a busy machine. */
const scene = (smallMs: number, largeMs: number, isBusy: (round: number) => boolean) => {
  let now = 0;
  let rounds = 0;
  const ratio = timeRatio(() => now, {
    small: () => {
      now += smallMs;
    },
    large: () => {
      now += isBusy(rounds) ? 9 * largeMs : largeMs;
      rounds += 1;
    },
    rounds: 3,
    enough: 1.5,
  });
  return { ratio, rounds };
};

test('one quiet round is enough to see that large work takes as long as it should', () => {
  expect(scene(1, 10, (round) => round !== 2)).toEqual({ ratio: 1, rounds: 4 });
  expect(scene(1, 10, (round) => round < 10)).toEqual({ ratio: 1, rounds: 11 });
});

test('no number of rounds makes work that takes too long look better', () => {
  expect(scene(1, 100, (round) => round % 2 === 0)).toEqual({ ratio: 10, rounds: 16 });
});
