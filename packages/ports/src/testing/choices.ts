/** Decisions for a random test, read one after the other from a tape of numbers that the test has drawn. */
export interface Choices {
  /** A whole number from 0 to `count - 1`. */
  below(count: number): number;
  /** True in about `percent` of a hundred cases. */
  chance(percent: number): boolean;
  oneOf<T>(list: readonly [T, ...T[]]): T;
}

/**
 * A used-up tape says 0, which every reader takes for its plainest choice: a shorter tape of smaller numbers is then a
 * simpler case, and whoever shrinks the tape shrinks the case.
 */
export const choices = (tape: readonly number[]): Choices => {
  let at = 0;
  const below = (count: number): number => {
    const drawn = tape[at] ?? 0;
    at += 1;
    return drawn % count;
  };
  return {
    below,
    chance: (percent) => below(100) >= 100 - percent,
    oneOf: (list) => list[below(list.length)] ?? list[0],
  };
};
