import { getRandomValues, randomBytes, randomFillSync } from 'node:crypto';
import type { Random } from '@foldmesh/ports';

/** Bytes fetched ahead: the operating system takes as long for a few as for all of these. None is given twice. */
const hexAhead = (bytesAhead: number): Random['hex'] => {
  const ahead = Buffer.alloc(bytesAhead);
  let used = ahead.length;
  return (bytes) => {
    if (bytes > ahead.length) return randomBytes(bytes).toString('hex');
    if (used + bytes > ahead.length) {
      randomFillSync(ahead);
      used = 0;
    }
    used += bytes;
    return ahead.toString('hex', used - bytes, used);
  };
};

/** Chance from the operating system: good enough for ids that nobody may guess. */
export const systemRandom: Random = {
  float: () => {
    const [high = 0, low = 0] = getRandomValues(new Uint32Array(2));
    return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53; // 53 bits: what a double holds
  },
  hex: hexAhead(4_096),
};
