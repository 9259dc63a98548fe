import { apiLimits } from '@foldmesh/client';

/**
 * Says of one thing after the other whether it still has room in a page of so many, which may weigh so many bytes as JSON.
 * The first always has: else nobody would come past it.
 */
export const pageRoom = (
  countMax: number,
  bytesMax: number = apiLimits.pageBytesMax,
): ((one: unknown) => boolean) => {
  let count = 0;
  let bytes = 0;
  return (one) => {
    bytes += new TextEncoder().encode(JSON.stringify(one)).length;
    if (count >= countMax || (count > 0 && bytes > bytesMax)) return false;
    count += 1;
    return true;
  };
};
