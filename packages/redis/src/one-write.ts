import type { Writable } from 'node:stream';

/** Commands that leave together at most: the server is to begin on the first of a crowd while the last are still being made. */
const togetherMax = 16;

/**
 * To be told before each command: keeps what is asked back until this turn of the event loop ends, so that it leaves in one
 * write and not in one for each. Unlike the client's own pipelines it waits for no answer.
 */
export const inOneWrite = (): ((stream: Writable) => void) => {
  let count = 0;
  return (stream) => {
    if (stream.writableCorked === 0) {
      process.nextTick(() => stream.uncork());
      count = 0;
    }
    if (count === togetherMax) {
      stream.uncork();
      count = 0;
    }
    if (count === 0) stream.cork();
    count += 1;
  };
};
