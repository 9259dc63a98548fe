import { expect } from 'vitest';
import { claim, keepUntil, lapse, storedIn, win } from './inbox-hands.ts';
import { got, promise, type Rig } from './rig.ts';
import { claimOf, doneWith } from './samples.ts';

export const claiming = (rig: Rig<'inbox'>): void => {
  promise(rig, 'the first claim is won, and fresh', async (bench) => {
    const won = await win(bench, bench.make.record(1), 'one');
    expect(won).toMatchObject({ strikes: 0, tries: 0, fresh: true });
    expect(won.token).toBeGreaterThan(0);
  });

  promise(rig, 'of fifty claims at the same instant one is won', async (bench) => {
    const id = bench.make.record(1);
    const claims = Array.from({ length: 50 }, (_, at) => claim(bench, id, `owner ${at}`));
    const kinds = (await Promise.all(claims)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'won')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'held')).toHaveLength(49);
  });

  promise(rig, 'while a lease runs, others are told how long it still does', async (bench) => {
    const id = bench.make.record(1);
    const { clock } = bench.ports;
    const asked = clock.monotonic();
    await win(bench, id, 'one');
    const won = clock.monotonic();
    await bench.advance(bench.leaseMs / 2);
    const askedAgain = clock.monotonic();
    const answer = await claim(bench, id, 'other');
    expect(answer.kind).toBe('held');
    const left = answer.kind === 'held' ? answer.leaseLeftMs : 0;
    // Somewhere between these moments the store counted from, and to.
    expect(left).toBeLessThanOrEqual(bench.leaseMs - (askedAgain - won) + bench.slackMs);
    expect(left).toBeGreaterThanOrEqual(bench.leaseMs - (clock.monotonic() - asked) - bench.slackMs);
  });

  promise(
    rig,
    'a claim whose reply got lost is recognised: the same owner is told the same again',
    async (bench) => {
      const id = bench.make.record(1);
      const first = await win(bench, id, 'one');
      expect(await win(bench, id, 'one')).toEqual(first);
      await lapse(bench);
      expect(await win(bench, id, 'one')).toEqual(first);
      expect((await claim(bench, id, 'other')).kind).toBe('held');
    },
  );

  promise(rig, 'a renewal lets the lease run anew', async (bench) => {
    const id = bench.make.record(1);
    const { held } = await win(bench, id, 'one');
    for (let beat = 0; beat < 4; beat++) {
      await bench.advance(bench.leaseMs / 2);
      expect(got(await bench.ports.inbox.renew(held, bench.leaseMs))).toBe('held');
      expect((await claim(bench, id, 'other')).kind).toBe('held');
    }
  });

  promise(rig, 'a lapsed lease that nobody has taken is still held, and can be renewed', async (bench) => {
    const id = bench.make.record(1);
    const { held } = await win(bench, id, 'one');
    await lapse(bench);
    expect(got(await bench.ports.inbox.renew(held, bench.leaseMs))).toBe('held');
    expect((await claim(bench, id, 'other')).kind).toBe('held');
    await lapse(bench);
    expect(got(await bench.ports.inbox.complete(held, doneWith('late'), keepUntil(bench)))).toBe('held');
  });

  promise(rig, 'who was overtaken has lost it: nothing it says changes anything', async (bench) => {
    const { inbox } = bench.ports;
    const id = bench.make.record(1);
    const { held } = await win(bench, id, 'one');
    await lapse(bench);
    const next = await win(bench, id, 'other');
    expect(next.token).toBeGreaterThan(held.token);
    expect(got(await inbox.renew(held, bench.leaseMs))).toBe('lost');
    expect(got(await inbox.start(held))).toBe('lost');
    expect(got(await inbox.complete(held, doneWith('overtaken'), keepUntil(bench)))).toBe('lost');
    expect(got(await inbox.release(held, 'try'))).toBe('lost');
    expect(await storedIn(bench, id)).toBeUndefined();
    expect(got(await inbox.complete(next.held, doneWith('holder'), keepUntil(bench)))).toBe('held');
    expect(await storedIn(bench, id)).toEqual(doneWith('holder'));
  });

  promise(rig, 'a token that was never given is lost', async (bench) => {
    const id = bench.make.record(1);
    expect(got(await bench.ports.inbox.renew({ ...id, token: 7 }, bench.leaseMs))).toBe('lost');
    const { held } = await win(bench, id, 'one');
    const never = { ...held, token: held.token + 1 };
    expect(got(await bench.ports.inbox.complete(never, doneWith('never'), keepUntil(bench)))).toBe('lost');
  });

  promise(rig, 'two types at one position are two records', async (bench) => {
    const { make } = bench;
    await win(bench, make.record(1, 'tool.call'), 'one');
    expect((await win(bench, make.record(1, 'task.assign'), 'other')).fresh).toBe(true);
  });

  promise(rig, 'two tenants with one job id are two records', async (bench) => {
    const { make } = bench;
    await win(bench, make.record(1), 'one');
    expect((await win(bench, make.record(1, 'tool.call', { tenant: make.otherTenant }), 'other')).fresh).toBe(
      true,
    );
  });

  promise(
    rig,
    'a key that was used for something else is refused, by the label of the first',
    async (bench) => {
      const id = bench.make.record(1);
      const { held } = await win(bench, id, 'one');
      const reused = { kind: 'reused', label: 'asks this' };
      expect(await claim(bench, id, 'other', 'something else')).toEqual(reused);
      expect(await claim(bench, id, 'one', 'something else')).toEqual(reused);
      got(await bench.ports.inbox.complete(held, doneWith('this'), keepUntil(bench)));
      expect(await claim(bench, id, 'other', 'something else')).toEqual(reused);
      expect(await storedIn(bench, id)).toEqual(doneWith('this'));
    },
  );

  promise(rig, 'a record can be looked at without a claim: what it asks, and how it ended', async (bench) => {
    const { inbox } = bench.ports;
    const id = bench.make.record(1);
    expect(got(await inbox.peek(id))).toBeUndefined();
    const { held } = await win(bench, id, 'one');
    const { print, label } = claimOf(id, 'one', bench.leaseMs);
    const known = { print, label, strikes: 0, tries: 0 };
    expect(got(await inbox.peek(id))).toEqual({
      ...known,
      holder: { owner: 'one', until: expect.any(Number) },
    });
    got(await inbox.complete(held, doneWith('x'), keepUntil(bench)));
    expect(got(await inbox.peek(id))).toEqual({ ...known, stored: doneWith('x') });
  });

  promise(rig, 'whoever looks sees who holds it until when, and what has been tried', async (bench) => {
    const { inbox, clock } = bench.ports;
    const id = bench.make.record(1);
    const until = async () => got(await inbox.peek(id))?.holder?.until ?? 0;
    const expectUntil = async (asked: number, leaseMs: number): Promise<void> => {
      const answered = clock.now();
      expect(await until()).toBeGreaterThanOrEqual(asked + leaseMs - bench.slackMs);
      expect(await until()).toBeLessThanOrEqual(answered + leaseMs + bench.slackMs);
    };
    let asked = clock.now();
    const { held } = await win(bench, id, 'one');
    await expectUntil(asked, bench.leaseMs);
    asked = clock.now();
    got(await inbox.renew(held, 10 * bench.leaseMs));
    await expectUntil(asked, 10 * bench.leaseMs);
    got(await inbox.renew(held, bench.leaseMs));
    await lapse(bench);
    expect(await until()).toBeLessThan(clock.now());
    const { held: second } = await win(bench, id, 'other');
    expect(got(await inbox.peek(id))).toMatchObject({ strikes: 1, tries: 0, holder: { owner: 'other' } });
    got(await inbox.release(second, 'try'));
    const released = got(await inbox.peek(id));
    expect(released).toMatchObject({ strikes: 1, tries: 1 });
    expect(released?.holder).toBeUndefined();
  });

  promise(rig, 'the generation mark of a store stays the same', async (bench) => {
    const mark = got(await bench.ports.inbox.generation());
    expect(mark).toMatch(/^[0-9a-f]{16,64}$/);
    await win(bench, bench.make.record(1), 'one');
    expect(got(await bench.ports.inbox.generation())).toBe(mark);
  });
};
