import type { Amounts } from '@foldmesh/envelope';
import type { Balance } from '@foldmesh/ports';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { balanceOf, type LedgerBench, limited, opened, reserve, tryOf } from './ledger-hands.ts';
import { got, promise, property, type Rig } from './rig.ts';

const granted = { kind: 'granted' } as const;
const nothing: Balance = { spent: {}, held: {}, estimated: {} };

type Step =
  | { readonly act: 'reserve' | 'settle'; readonly of: number; readonly tokens: number }
  | { readonly act: 'release'; readonly of: number };

const of = fc.integer({ min: 0, max: 4 });
const tokens = fc.integer({ min: 0, max: 12 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ act: fc.constantFrom('reserve' as const, 'settle' as const), of, tokens }),
    fc.record({ act: fc.constant('release' as const), of }),
  ),
  { maxLength: 40 },
);

export const trying = (rig: Rig<'ledger'>): void => {
  promise(rig, 'L2: a try is reserved once and ends once, however often it is said', async (bench) => {
    const { ledger } = bench.ports;
    const budget = await opened(bench);
    const accounts = [limited(budget, { tokens: 10 })];
    const id = tryOf(bench, 1);
    for (let again = 0; again < 3; again++)
      expect(await reserve(bench, id, accounts, { tokens: 6 })).toEqual(granted);
    expect(await balanceOf(bench, budget)).toEqual({ ...nothing, held: { tokens: 6 } });
    expect(got(await ledger.settle(id, { tokens: 4 }))).toBe('counted');
    expect(got(await ledger.settle(id, { tokens: 6 }))).toBe('already');
    expect(got(await ledger.release(id))).toBe('already');
    expect(await reserve(bench, id, accounts, { tokens: 6 })).toEqual({ kind: 'ended' });
    expect(await balanceOf(bench, budget)).toEqual({ ...nothing, spent: { tokens: 4 } });
  });

  promise(rig, 'two tries of one key are two', async (bench) => {
    const budget = await opened(bench);
    const accounts = [limited(budget, {})];
    await reserve(bench, tryOf(bench, 1, 1), accounts, { tokens: 1 });
    await reserve(bench, tryOf(bench, 1, 2), accounts, { tokens: 2 });
    got(await bench.ports.ledger.settle(tryOf(bench, 1, 1), { tokens: 1 }));
    expect(await balanceOf(bench, budget)).toEqual({ ...nothing, spent: { tokens: 1 }, held: { tokens: 2 } });
  });

  promise(rig, 'L3: a reservation whose lease lapsed is an estimate, and counts on', async (bench) => {
    const budget = await opened(bench);
    const accounts = [limited(budget, { tokens: 10 })];
    await reserve(bench, tryOf(bench, 1), accounts, { tokens: 7 }, bench.leaseMs);
    await bench.advance(bench.leaseMs + bench.slackMs);
    expect(await balanceOf(bench, budget)).toEqual({ ...nothing, estimated: { tokens: 7 } });
    expect(await reserve(bench, tryOf(bench, 2), accounts, { tokens: 4 })).toMatchObject({ left: 3 });
  });

  promise(rig, 'L4: a late settle corrects an estimate once', async (bench) => {
    const { ledger } = bench.ports;
    const budget = await opened(bench);
    const id = tryOf(bench, 1);
    await reserve(bench, id, [limited(budget, { tokens: 10 })], { tokens: 7 }, bench.leaseMs);
    await bench.advance(bench.leaseMs + bench.slackMs);
    expect(got(await ledger.settle(id, { tokens: 2 }))).toBe('counted');
    expect(got(await ledger.settle(id, { tokens: 2 }))).toBe('already');
    expect(await balanceOf(bench, budget)).toEqual({ ...nothing, spent: { tokens: 2 } });
  });

  promise(rig, 'a holder that comes back reserves again, and holds it as before', async (bench) => {
    const budget = await opened(bench);
    const accounts = [limited(budget, { tokens: 10 })];
    await reserve(bench, tryOf(bench, 1), accounts, { tokens: 7 }, bench.leaseMs);
    await bench.advance(bench.leaseMs + bench.slackMs);
    expect(await reserve(bench, tryOf(bench, 1), accounts, { tokens: 7 })).toEqual(granted);
    expect(await balanceOf(bench, budget)).toEqual({ ...nothing, held: { tokens: 7 } });
  });

  promise(
    rig,
    'a rebuild raises what is spent to the sum of the journal, and never lowers it',
    async (bench) => {
      const { ledger } = bench.ports;
      const budget = await opened(bench);
      await reserve(bench, tryOf(bench, 1), [limited(budget, {})], { tokens: 5 });
      for (const tokens of [20, 20, 12]) got(await ledger.rebuild(budget, { tokens }));
      expect(await balanceOf(bench, budget)).toEqual({
        ...nothing,
        spent: { tokens: 20 },
        held: { tokens: 5 },
      });
      got(await ledger.settle(tryOf(bench, 1), { tokens: 3 }));
      got(await ledger.rebuild(budget, { tokens: 20, tool_calls: 1 }));
      expect((await balanceOf(bench, budget))?.spent).toEqual({ tokens: 23, tool_calls: 1 });
    },
  );

  promise(rig, 'estimates are part of the sum of the journal', async (bench) => {
    const budget = await opened(bench);
    await reserve(bench, tryOf(bench, 1), [limited(budget, {})], { tokens: 5 }, bench.leaseMs);
    await bench.advance(bench.leaseMs + bench.slackMs);
    got(await bench.ports.ledger.rebuild(budget, { tokens: 5 }));
    expect(await balanceOf(bench, budget)).toEqual({ ...nothing, estimated: { tokens: 5 } });
    got(await bench.ports.ledger.rebuild(budget, { tokens: 8 }));
    expect(await balanceOf(bench, budget)).toEqual({
      ...nothing,
      spent: { tokens: 3 },
      estimated: { tokens: 5 },
    });
  });

  promise(rig, 'the ledger keeps amounts of its own, and refuses what is none', async (bench) => {
    const budget = await opened(bench);
    const amounts: Record<string, number> = { tokens: 5 };
    const asked = reserve(bench, tryOf(bench, 1), [limited(budget, {})], amounts);
    amounts['tokens'] = 50;
    expect(await asked).toEqual(granted);
    expect((await balanceOf(bench, budget))?.held).toEqual({ tokens: 5 });
    for (const wrong of [0.5, -1, Number.NaN, 10 ** 12])
      await expect(async () =>
        bench.ports.ledger.settle(tryOf(bench, 1), { tokens: wrong }),
      ).rejects.toThrow();
  });

  property(rig, 'in any order, what counts is what a list of all tries adds up to', steps, inAnyOrder);
};

const limit = 30;

const inAnyOrder = async (bench: LedgerBench, history: readonly Step[]): Promise<void> => {
  const { ledger } = bench.ports;
  const budget = await opened(bench);
  const known = new Map<number, { readonly held: number; readonly spent: number; readonly ended: boolean }>();
  const sum = (what: 'held' | 'spent'): number =>
    [...known.values()].reduce((total, one) => total + one[what], 0);
  for (const step of history) {
    const id = tryOf(bench, step.of);
    const before = known.get(step.of);
    if (step.act === 'reserve') {
      const answer = await reserve(bench, id, [limited(budget, { tokens: limit })], { tokens: step.tokens });
      const left = limit - sum('held') - sum('spent');
      if (before !== undefined) expect(answer.kind).toBe(before.ended ? 'ended' : 'granted');
      else if (step.tokens > 0 && step.tokens > left)
        expect(answer).toMatchObject({ kind: 'exhausted', left });
      else {
        expect(answer).toEqual(granted);
        known.set(step.of, { held: step.tokens, spent: 0, ended: false });
      }
      continue;
    }
    const took: Amounts = step.act === 'settle' ? { tokens: step.tokens } : {};
    const answer = got(await (step.act === 'settle' ? ledger.settle(id, took) : ledger.release(id)));
    if (before === undefined) expect(answer).toBe('absent');
    else expect(answer).toBe(before.ended ? 'already' : 'counted');
    if (before?.ended === false) known.set(step.of, { held: 0, spent: took['tokens'] ?? 0, ended: true });
  }
  expect(await balanceOf(bench, budget)).toEqual({
    ...nothing,
    held: sum('held') === 0 ? {} : { tokens: sum('held') },
    spent: sum('spent') === 0 ? {} : { tokens: sum('spent') },
  });
};
