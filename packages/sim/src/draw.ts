import { seededRandom } from '@foldmesh/embedded';
import { invariant } from '@foldmesh/envelope';

/** Chance as whoever writes a story wants it; a stream of its own for each part of the story. */
export interface Draw {
  /** A whole number from 0 to below it. */
  below(limit: number): number;
  /** A whole number from the first to the last. */
  from(first: number, last: number): number;
  /** True so often, from 0 to 1. */
  chance(rate: number): boolean;
  oneOf<T>(all: readonly T[]): T;
}

export const drawOf = (seed: string): Draw => {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random.float() * limit);
  return {
    below,
    from: (first, last) => first + below(last - first + 1),
    chance: (rate) => random.float() < rate,
    oneOf: (all) => {
      invariant(all.length > 0, 'draw: there is nothing to take one of');
      return all[below(all.length)] as (typeof all)[number]; // in range
    },
  };
};
