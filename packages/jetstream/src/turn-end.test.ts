import { describe, expect, it } from 'vitest';
import { turnEnd } from './turn-end.ts';

/** Sends as the client does: what was said before the microtask that its first word has asked for. */
const client = () => {
  const writes: string[][] = [];
  let unsent: string[] = [];
  const say = (word: string): void => {
    unsent.push(word);
    if (unsent.length > 1) return;
    queueMicrotask(() => {
      writes.push(unsent);
      unsent = [];
    });
  };
  return { say, writes };
};

const hop = async (count: number): Promise<void> => {
  for (let done = 0; done < count; done++) await Promise.resolve();
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the end of a turn', () => {
  it('lets all who wait in it speak together, however many promises lie between', async () => {
    const { say, writes } = client();
    const end = turnEnd();
    const ask = async (hops: number, word: string): Promise<void> => {
      await hop(hops);
      await end();
      say(word);
    };
    await Promise.all([ask(0, 'append'), ask(3, 'publish'), ask(20, 'ack')]);
    await turn();
    expect(writes).toEqual([['append', 'publish', 'ack']]);
  });

  it('comes again in the next', async () => {
    const { say, writes } = client();
    const end = turnEnd();
    for (const word of ['append', 'ack']) {
      await end();
      say(word);
      await turn();
    }
    expect(writes).toEqual([['append'], ['ack']]);
  });
});
