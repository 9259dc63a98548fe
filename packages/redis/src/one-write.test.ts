import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { inOneWrite } from './one-write.ts';

const link = () => {
  const writes: string[][] = [];
  const together = inOneWrite();
  const stream = new Writable({
    decodeStrings: false,
    writev: (chunks, done) => {
      writes.push(chunks.map(({ chunk }) => String(chunk)));
      done();
    },
  });
  /** Asks after so many promises. */
  const ask = async (hops: number, command: string): Promise<void> => {
    for (let hop = 0; hop < hops; hop++) await Promise.resolve();
    together(stream);
    stream.write(command);
  };
  return { ask, writes };
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('what is asked of the server', () => {
  it('in one turn leaves together, however many promises lie between', async () => {
    const { ask, writes } = link();
    await Promise.all([ask(0, 'claim 1'), ask(3, 'claim 2'), ask(20, 'claim 3')]);
    await turn();
    expect(writes).toEqual([['claim 1', 'claim 2', 'claim 3']]);
  });

  it('by a crowd leaves in several writes, the first while the last still come', async () => {
    const { ask, writes } = link();
    const crowd = Array.from({ length: 40 }, (_, at) => `claim ${at}`);
    await Promise.all(crowd.map((command) => ask(0, command)));
    expect(writes).toEqual([crowd.slice(0, 16), crowd.slice(16, 32)]);
    await turn();
    expect(writes.at(-1)).toEqual(crowd.slice(32));
  });

  it('in another turn does not wait for more', async () => {
    const { ask, writes } = link();
    await ask(0, 'claim');
    await turn();
    await ask(0, 'complete');
    await turn();
    expect(writes).toEqual([['claim'], ['complete']]);
  });
});
