import { expect } from 'vitest';
import { advanceTo, claim, keepUntil, lapse, storedIn, win } from './inbox-hands.ts';
import { got, promise, type Rig } from './rig.ts';
import { doneWith } from './samples.ts';

export const halting = (rig: Rig<'inbox'>): void => {
  promise(rig, 'nothing of a halted job can be claimed', async (bench) => {
    const { make, ports } = bench;
    got(await ports.inbox.release((await win(bench, make.record(2), 'one')).held, 'try'));
    await win(bench, make.record(3), 'one');
    await lapse(bench);
    got(await ports.inbox.halt(make.tenant, make.job, keepUntil(bench)));
    for (const step of [1, 2, 3])
      expect(await claim(bench, make.record(step), 'other')).toEqual({ kind: 'halted' });
  });

  promise(
    rig,
    'who holds work of a halted job is told so, holds it still, and starts nothing',
    async (bench) => {
      const { make, ports } = bench;
      const id = make.record(1);
      const { held } = await win(bench, id, 'one');
      got(await ports.inbox.halt(make.tenant, make.job, keepUntil(bench)));
      expect(got(await ports.inbox.renew(held, bench.leaseMs))).toBe('halted');
      expect(got(await ports.inbox.start(held))).toBe('halted');
      await lapse(bench);
      expect(await claim(bench, id, 'other')).toEqual({ kind: 'halted' });
      expect(await storedIn(bench, id)).toBeUndefined();
    },
  );

  promise(
    rig,
    'last words count: what was under way can be completed, and then answers claims',
    async (bench) => {
      const { make, ports } = bench;
      const id = make.record(1);
      const { held } = await win(bench, id, 'one');
      got(await ports.inbox.halt(make.tenant, make.job, keepUntil(bench)));
      expect(got(await ports.inbox.complete(held, doneWith('last words'), keepUntil(bench)))).toBe('halted');
      expect(await storedIn(bench, id)).toEqual(doneWith('last words'));
      expect(await claim(bench, id, 'other')).toEqual({ kind: 'settled', outcome: doneWith('last words') });
    },
  );

  promise(rig, 'what was under way can be released', async (bench) => {
    const { make, ports } = bench;
    const { held } = await win(bench, make.record(1), 'one');
    got(await ports.inbox.halt(make.tenant, make.job, keepUntil(bench)));
    expect(got(await ports.inbox.release(held, 'nothing'))).toBe('halted');
    expect(got(await ports.inbox.renew(held, bench.leaseMs))).toBe('lost');
  });

  promise(rig, 'what was started before the halt and fell silent is unknown all the same', async (bench) => {
    const { make, ports } = bench;
    const id = make.record(1);
    const { held } = await win(bench, id, 'one');
    got(await ports.inbox.start(held));
    got(await ports.inbox.halt(make.tenant, make.job, keepUntil(bench)));
    await lapse(bench);
    expect(await claim(bench, id, 'other')).toMatchObject({
      kind: 'settled',
      outcome: { outcome: { kind: 'unknown' } },
    });
  });

  promise(rig, 'a halt is for one job of one tenant', async (bench) => {
    const { make, ports } = bench;
    got(await ports.inbox.halt(make.tenant, make.job, keepUntil(bench)));
    await win(bench, make.record(1, 'tool.call', { job: make.otherJob }), 'one');
    await win(bench, make.record(1, 'tool.call', { tenant: make.otherTenant }), 'one');
  });

  promise(rig, 'a halt lasts until its time, and a second one can only make it longer', async (bench) => {
    const { make, ports } = bench;
    const until = keepUntil(bench, 2);
    got(await ports.inbox.halt(make.tenant, make.job, until));
    got(await ports.inbox.halt(make.tenant, make.job, keepUntil(bench, 1)));
    await advanceTo(bench, until - 3 * bench.slackMs);
    expect(await claim(bench, make.record(1), 'one')).toEqual({ kind: 'halted' });
    await advanceTo(bench, until + bench.slackMs);
    await win(bench, make.record(1), 'one');
  });
};
