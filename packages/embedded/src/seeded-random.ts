import { sha256Hex } from '@foldmesh/envelope';
import type { Random } from '@foldmesh/ports';

/**
 * The generator sfc32 ("small fast counter", Chris Doty-Humphrey, PractRand), its state taken from a hash of the seed so
 * that neighbouring seeds share nothing. `seededRandom('7/faults')` is a stream of its own beside `seededRandom('7')`.
 */
export const seededRandom = (seed: number | string): Random => {
  const digest = sha256Hex(String(seed));
  const word = (at: number): number => Number.parseInt(digest.slice(at * 8, at * 8 + 8), 16) | 0;
  let a = word(0);
  let b = word(1);
  let c = word(2);
  let counter = 1;

  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };

  const byte = (): string => (next() >>> 24).toString(16).padStart(2, '0');

  return {
    float: () => next() / 2 ** 32,
    hex: (bytes) => Array.from({ length: bytes }, byte).join(''),
  };
};
