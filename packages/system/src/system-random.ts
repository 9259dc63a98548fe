import { getRandomValues, randomBytes } from 'node:crypto';
import type { Random } from '@foldmesh/ports';

/** Chance from the operating system: good enough for ids that nobody may guess. */
export const systemRandom: Random = {
  float: () => {
    const [high = 0, low = 0] = getRandomValues(new Uint32Array(2));
    return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53; // 53 bits: what a double holds
  },
  hex: (bytes) => randomBytes(bytes).toString('hex'),
};
