import { describe, expect, it } from 'vitest';
import { slots } from './slots.ts';

const soon = async (): Promise<void> => {
  for (let hop = 0; hop < 10; hop++) await Promise.resolve();
};

const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await soon();
  return settled;
};

const never = new AbortController().signal;

describe('slots', () => {
  it('have room until all are taken, and again when one is released', async () => {
    const all = slots(2);
    expect(await all.room(never)).toBe(2);
    const first = all.take();
    expect(await all.room(never)).toBe(1);
    all.take();
    const waiting = all.room(never);
    expect(await isSettled(waiting)).toBe(false);
    first.release();
    expect(await waiting).toBe(1);
  });

  it('have no room for who is told to stop waiting', async () => {
    const all = slots(1);
    all.take();
    const stop = new AbortController();
    const waiting = all.room(stop.signal);
    stop.abort();
    expect(await waiting).toBe(0);
    expect(await all.room(stop.signal)).toBe(0);
  });

  it('are idle when the last one is released', async () => {
    const all = slots(2);
    await all.idle();
    const [first, second] = [all.take(), all.take()];
    const idle = all.idle();
    first.release();
    expect(await isSettled(idle)).toBe(false);
    second.release();
    expect(await isSettled(idle)).toBe(true);
  });
});

describe('who wants to be alone', () => {
  it('waits until every other has ended, and keeps new work out until it has ended itself', async () => {
    const all = slots(3);
    const [lonely, other] = [all.take(), all.take()];
    const alone = lonely.alone();
    expect(await isSettled(alone)).toBe(false);
    const room = all.room(never);
    other.release();
    expect(await isSettled(alone)).toBe(true);
    expect(await isSettled(room)).toBe(false);
    lonely.release();
    expect(await room).toBe(3);
  });

  it('is alone at once where nobody else is, and asking again changes nothing', async () => {
    const all = slots(2);
    const only = all.take();
    await only.alone();
    await only.alone();
    only.release();
    expect(await all.room(never)).toBe(2);
  });

  it('takes turns with others that want it too: they do not wait for each other for ever', async () => {
    const all = slots(3);
    const [first, second, third] = [all.take(), all.take(), all.take()];
    const [a, b] = [first.alone(), second.alone()];
    expect([await isSettled(a), await isSettled(b)]).toEqual([false, false]);
    third.release();
    expect([await isSettled(a), await isSettled(b)]).toEqual([true, false]);
    first.release();
    expect(await isSettled(b)).toBe(true);
    const room = all.room(never);
    expect(await isSettled(room)).toBe(false);
    second.release();
    expect(await room).toBe(3);
  });

  it('does not count one that has given up waiting', async () => {
    const all = slots(3);
    const [first, second, third] = [all.take(), all.take(), all.take()];
    void first.alone();
    const b = second.alone();
    // Its hold was lost while it waited.
    first.release();
    expect(await isSettled(b)).toBe(false);
    third.release();
    expect(await isSettled(b)).toBe(true);
  });
});
