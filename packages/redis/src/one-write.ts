import type { Writable } from 'node:stream';

/**
 * Keeps what is asked back until this turn of the event loop ends: then it leaves in one write, not in one for each command.
 * Unlike the client's own pipelines it waits for no answer.
 */
export const inOneWrite = (stream: Writable): void => {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
};
