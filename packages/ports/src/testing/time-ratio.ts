/** What is compared, and until when: a ratio below `enough` is one that nobody doubts. */
export interface Compared {
  readonly small: () => void;
  readonly large: () => void;
  readonly rounds: number;
  readonly enough: number;
}

/**
 * How much longer once `large` takes than ten times `small`. They take turns, so that a busy machine is busy for both,
 * and of each the least counts: whatever else there is to do only adds. So more rounds make it truer, never kinder:
 * while it is too much, up to five times as many are taken. The first round warms up. `now` is in milliseconds.
 */
export const timeRatio = (now: () => number, { small, large, rounds, enough }: Compared): number => {
  const timed = (work: () => void): number => {
    const begun = now();
    work();
    return now() - begun;
  };
  const tenSmall = (): void => {
    for (let time = 0; time < 10; time++) small();
  };
  let ten = Number.POSITIVE_INFINITY;
  let one = Number.POSITIVE_INFINITY;
  tenSmall();
  large();
  for (let round = 0; round < rounds || (one / ten >= enough && round < 5 * rounds); round++) {
    ten = Math.min(ten, timed(tenSmall));
    one = Math.min(one, timed(large));
  }
  return one / ten;
};
