import { expect } from 'vitest';
import { claim, keepUntil, lapse, outcomeOf, storedIn, win } from './inbox-hands.ts';
import { got, promise, type Rig } from './rig.ts';
import { doneWith } from './samples.ts';

export const striking = (rig: Rig<'inbox'>): void => {
  promise(
    rig,
    'the claim that takes over a lapsed lease counts a strike, and is not fresh',
    async (bench) => {
      const id = bench.make.record(1);
      await win(bench, id, 'first');
      for (const strikes of [1, 2, 3]) {
        await lapse(bench);
        expect(await win(bench, id, `try ${strikes}`)).toMatchObject({ strikes, tries: 0, fresh: false });
      }
    },
  );

  promise(rig, 'at the fourth strike nobody may run it any more', async (bench) => {
    const id = bench.make.record(1);
    await win(bench, id, 'first');
    for (const strikes of [1, 2, 3]) {
      await lapse(bench);
      await win(bench, id, `try ${strikes}`);
    }
    const { held } = await win(bench, id, 'try 3');
    await lapse(bench);
    expect(await claim(bench, id, 'try 4')).toEqual({ kind: 'struck', strikes: 4 });
    expect(await claim(bench, id, 'try 5')).toEqual({ kind: 'struck', strikes: 4 });
    expect(await claim(bench, id, 'try 3')).toEqual({ kind: 'struck', strikes: 4 });
    expect(got(await bench.ports.inbox.renew(held, bench.leaseMs))).toBe('lost');
    expect(got(await bench.ports.inbox.complete(held, doneWith('late'), keepUntil(bench)))).toBe('lost');
  });

  promise(
    rig,
    'the outcome of what was started and fell silent is unknown, for everybody and for good',
    async (bench) => {
      const { inbox } = bench.ports;
      const id = bench.make.record(1);
      const { held } = await win(bench, id, 'one');
      expect(got(await inbox.start(held))).toBe('held');
      expect(got(await inbox.start(held))).toBe('held');
      expect((await claim(bench, id, 'other')).kind).toBe('held');
      await lapse(bench);
      const answer = await claim(bench, id, 'other');
      expect(outcomeOf(answer)).toMatchObject({ kind: 'unknown', open: { call: 'asks this' } });
      expect(await claim(bench, id, 'one')).toEqual(answer);
      for (const late of [
        inbox.renew(held, bench.leaseMs),
        inbox.start(held),
        inbox.release(held, 'try'),
        inbox.complete(held, doneWith('late'), keepUntil(bench)),
      ])
        expect(got(await late)).toBe('lost');
      expect(await claim(bench, id, 'third')).toEqual(answer);
      expect(await storedIn(bench, id)).toEqual(answer.kind === 'settled' ? answer.outcome : undefined);
    },
  );

  promise(
    rig,
    'a started one can be renewed and completed like any other, after a lapse too',
    async (bench) => {
      const { inbox } = bench.ports;
      const id = bench.make.record(1);
      const { held } = await win(bench, id, 'one');
      got(await inbox.start(held));
      await bench.advance(0.75 * bench.leaseMs);
      expect(got(await inbox.renew(held, bench.leaseMs))).toBe('held');
      await bench.advance(bench.leaseMs / 2);
      expect((await claim(bench, id, 'other')).kind).toBe('held');
      await lapse(bench);
      expect(got(await inbox.complete(held, doneWith('in the end'), keepUntil(bench)))).toBe('held');
      expect(outcomeOf(await claim(bench, id, 'other'))).toEqual(doneWith('in the end').outcome);
    },
  );

  promise(
    rig,
    'who claims again what it has started is told that it is held, not that it may run it once more',
    async (bench) => {
      const id = bench.make.record(1);
      const { held } = await win(bench, id, 'one');
      got(await bench.ports.inbox.start(held));
      expect((await claim(bench, id, 'one')).kind).toBe('held');
    },
  );
};
