import type { Outcome } from '@foldmesh/envelope';
import { expect } from 'vitest';
import { advanceTo, claim, keepUntil, lapse, storedIn, win } from './inbox-hands.ts';
import { got, promise, type Rig } from './rig.ts';
import { doneWith } from './samples.ts';

const outcomes: readonly Outcome[] = [
  { kind: 'done', output: { value: { deep: [1, null, 'x'] } } },
  { kind: 'failed', fault: { kind: 'refused', detail: 'a rule says no' } },
  { kind: 'unknown', open: { call: 'a call', detail: 'no answer' } },
  { kind: 'cancelled' },
];

export const ending = (rig: Rig<'inbox'>): void => {
  promise(
    rig,
    'a stored outcome answers every later claim, with what was stored beside it',
    async (bench) => {
      for (const [step, outcome] of outcomes.entries()) {
        const id = bench.make.record(step);
        const { held } = await win(bench, id, 'one');
        const stored = { outcome, extra: { worker: 'w-1', usage: { tool_calls: step } } };
        expect(got(await bench.ports.inbox.complete(held, stored, keepUntil(bench)))).toBe('held');
        for (const owner of ['other', 'one'])
          expect(await claim(bench, id, owner)).toEqual({ kind: 'settled', outcome: stored });
        expect(await storedIn(bench, id)).toEqual(stored);
      }
    },
  );

  promise(rig, 'a stored outcome does not change, and does not lapse with the lease', async (bench) => {
    const { inbox } = bench.ports;
    const id = bench.make.record(1);
    const { held } = await win(bench, id, 'one');
    got(await inbox.complete(held, doneWith('first'), keepUntil(bench)));
    expect(got(await inbox.complete(held, doneWith('second'), keepUntil(bench)))).toBe('held');
    expect(got(await inbox.renew(held, bench.leaseMs))).toBe('held');
    expect(got(await inbox.release(held, 'try'))).toBe('lost');
    expect(got(await inbox.start(held))).toBe('lost');
    await lapse(bench);
    expect(await claim(bench, id, 'other')).toEqual({ kind: 'settled', outcome: doneWith('first') });
  });

  promise(rig, 'a stored outcome is forgotten when its time is over', async (bench) => {
    const { inbox } = bench.ports;
    const id = bench.make.record(1);
    const { held } = await win(bench, id, 'one');
    const until = keepUntil(bench, 2);
    got(await inbox.complete(held, doneWith('old'), until));
    await advanceTo(bench, until - 4 * bench.slackMs);
    expect(await storedIn(bench, id)).toEqual(doneWith('old'));
    await advanceTo(bench, until + bench.slackMs);
    expect(await storedIn(bench, id)).toBeUndefined();
    const won = await win(bench, id, 'other');
    expect(won.fresh).toBe(true);
    expect(won.token).toBeGreaterThan(held.token);
  });

  promise(
    rig,
    'a released try is counted, costs no strike, and leaves the work to whoever claims next',
    async (bench) => {
      const { inbox } = bench.ports;
      const id = bench.make.record(1);
      for (const tries of [0, 1, 2]) {
        const won = await win(bench, id, `try ${tries}`);
        expect(won).toMatchObject({ tries, strikes: 0, fresh: tries === 0 });
        expect(got(await inbox.release(won.held, 'try'))).toBe('held');
        expect(got(await inbox.renew(won.held, bench.leaseMs))).toBe('lost');
      }
    },
  );

  promise(
    rig,
    'a try that was told when to come back is counted, and says so until the next claim',
    async (bench) => {
      const { inbox } = bench.ports;
      const id = bench.make.record(1);
      const later = {
        fault: { kind: 'throttled', detail: 'too "many"\nof them', source: 'desk', retry_after_ms: 60_000 },
        until: bench.ports.clock.now() + 60_000,
      } as const;
      expect(got(await inbox.release((await win(bench, id, 'one')).held, later))).toBe('held');
      expect(got(await inbox.peek(id))).toMatchObject({ tries: 1, strikes: 0, later });
      const again = await win(bench, id, 'two');
      expect(again).toMatchObject({ tries: 1, fresh: false });
      expect(got(await inbox.peek(id))).not.toHaveProperty('later');
      got(await inbox.release(again.held, 'nothing'));
      expect(got(await inbox.peek(id))).not.toHaveProperty('later');
      const last = await win(bench, id, 'three');
      got(await inbox.release(last.held, later));
      got(await inbox.complete((await win(bench, id, 'four')).held, doneWith('it'), keepUntil(bench)));
      expect(got(await inbox.peek(id))).toMatchObject({ tries: 2, stored: doneWith('it') });
      expect(got(await inbox.peek(id))).not.toHaveProperty('later');
    },
  );

  promise(rig, 'a released record still knows what was asked under its key', async (bench) => {
    const id = bench.make.record(1);
    const { held } = await win(bench, id, 'one');
    got(await bench.ports.inbox.release(held, 'try'));
    expect(await claim(bench, id, 'other', 'something else')).toEqual({ kind: 'reused', label: 'asks this' });
  });

  promise(rig, 'a hand-back counts nothing: the next claim is as the first was', async (bench) => {
    const { inbox } = bench.ports;
    const id = bench.make.record(1);
    for (const owner of ['one', 'two', 'three']) {
      const won = await win(bench, id, owner);
      expect(won).toMatchObject({ tries: 0, strikes: 0, fresh: true });
      expect(got(await inbox.release(won.held, 'nothing'))).toBe('held');
    }
  });

  promise(rig, 'a hand-back keeps the tries and strikes of before', async (bench) => {
    const { inbox } = bench.ports;
    const id = bench.make.record(1);
    got(await inbox.release((await win(bench, id, 'one')).held, 'try'));
    await win(bench, id, 'two');
    await lapse(bench);
    got(await inbox.release((await win(bench, id, 'three')).held, 'nothing'));
    expect(await win(bench, id, 'four')).toMatchObject({ tries: 1, strikes: 1, fresh: false });
  });

  promise(rig, 'a hand-back keeps a strike, be there no try', async (bench) => {
    const id = bench.make.record(1);
    await win(bench, id, 'one');
    await lapse(bench);
    got(await bench.ports.inbox.release((await win(bench, id, 'two')).held, 'nothing'));
    expect(await win(bench, id, 'three')).toMatchObject({ tries: 0, strikes: 1, fresh: false });
  });

  promise(rig, 'the store keeps an outcome of its own', async (bench) => {
    const id = bench.make.record(1);
    const { held } = await win(bench, id, 'one');
    const list = ['as', 'stored'];
    const output = { kind: 'done', output: { value: list } } as const;
    got(await bench.ports.inbox.complete(held, { outcome: output }, keepUntil(bench)));
    list.push('and changed');
    expect(await storedIn(bench, id)).toEqual({
      outcome: { kind: 'done', output: { value: ['as', 'stored'] } },
    });
  });

  promise(rig, 'a started one can be released: its holder knows that nothing happened', async (bench) => {
    const { inbox } = bench.ports;
    const id = bench.make.record(1);
    const { held } = await win(bench, id, 'one');
    got(await inbox.start(held));
    expect(got(await inbox.release(held, 'try'))).toBe('held');
    await lapse(bench);
    expect(await win(bench, id, 'two')).toMatchObject({ tries: 1, strikes: 0 });
  });
};
