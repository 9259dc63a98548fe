import { expect } from 'vitest';
import { balanceOf, budgetOf, limited, opened, quotaOf, reserve, tryOf } from './ledger-hands.ts';
import { got, promise, type Rig } from './rig.ts';

const granted = { kind: 'granted' } as const;

export const budgeting = (rig: Rig<'ledger'>): void => {
  promise(rig, 'a budget that was never opened is absent, and nothing is reserved on it', async (bench) => {
    const budget = budgetOf(bench);
    const asked = await reserve(bench, tryOf(bench, 1), [limited(budget, { tokens: 10 })], { tokens: 1 });
    expect(asked).toEqual({ kind: 'absent', account: '_job' });
    expect(await balanceOf(bench, budget)).toBeUndefined();
    expect(got(await bench.ports.ledger.settle(tryOf(bench, 1), { tokens: 1 }))).toBe('absent');
  });

  promise(
    rig,
    'what is reserved counts until it has ended, and what it took counts for ever',
    async (bench) => {
      const { ledger } = bench.ports;
      const budget = await opened(bench);
      const account = limited(budget, { tokens: 10, model_calls: 3 });
      expect(await reserve(bench, tryOf(bench, 1), [account], { tokens: 7, model_calls: 1 })).toEqual(
        granted,
      );
      expect(await balanceOf(bench, budget)).toEqual({
        spent: {},
        held: { tokens: 7, model_calls: 1 },
        estimated: {},
      });
      const refused = { kind: 'exhausted', account: '_job', unit: 'tokens', left: 3 };
      expect(await reserve(bench, tryOf(bench, 2), [account], { tokens: 4 })).toEqual(refused);
      expect(await reserve(bench, tryOf(bench, 2), [account], { tokens: 3 })).toEqual(granted);
      expect(got(await ledger.settle(tryOf(bench, 1), { tokens: 5, model_calls: 1 }))).toBe('counted');
      expect(got(await ledger.release(tryOf(bench, 2)))).toBe('counted');
      expect(await balanceOf(bench, budget)).toEqual({
        spent: { tokens: 5, model_calls: 1 },
        held: {},
        estimated: {},
      });
      expect(await reserve(bench, tryOf(bench, 3), [account], { tokens: 6 })).toEqual({
        ...refused,
        left: 5,
      });
    },
  );

  promise(rig, 'what took more than it had reserved is counted, and overshoots', async (bench) => {
    const budget = await opened(bench);
    const account = limited(budget, { tokens: 10 });
    await reserve(bench, tryOf(bench, 1), [account], { tokens: 8 });
    got(await bench.ports.ledger.settle(tryOf(bench, 1), { tokens: 13, tool_calls: 1 }));
    expect((await balanceOf(bench, budget))?.spent).toEqual({ tokens: 13, tool_calls: 1 });
    expect(await reserve(bench, tryOf(bench, 2), [account], { tokens: 1 })).toEqual({
      kind: 'exhausted',
      account: '_job',
      unit: 'tokens',
      left: -3,
    });
    expect(await reserve(bench, tryOf(bench, 2), [account], { tokens: 0 })).toEqual(granted);
  });

  promise(rig, 'a unit without a limit is counted, and a raised limit counts at once', async (bench) => {
    const budget = await opened(bench);
    await reserve(bench, tryOf(bench, 1), [limited(budget, {})], { tokens: 1_000_000, tool_calls: 2 });
    expect((await balanceOf(bench, budget))?.held).toEqual({ tokens: 1_000_000, tool_calls: 2 });
    const asked = [limited(budget, { tool_calls: 2 })];
    expect((await reserve(bench, tryOf(bench, 2), asked, { tool_calls: 1 })).kind).toBe('exhausted');
    const raised = [limited(budget, { tool_calls: 3 })];
    expect(await reserve(bench, tryOf(bench, 2), raised, { tool_calls: 1 })).toEqual(granted);
  });

  promise(rig, 'L1: of several accounts all are drawn on, or none', async (bench) => {
    const job = await opened(bench);
    const task = await opened(bench, 'task');
    const quota = quotaOf(bench, { tokens: 100 }, 60_000);
    const accounts = [limited(job, { tokens: 50 }), quota, limited(task, { tokens: 20 })];
    expect(await reserve(bench, tryOf(bench, 1), accounts, { tokens: 15 })).toEqual(granted);
    expect(await reserve(bench, tryOf(bench, 2), accounts, { tokens: 10 })).toMatchObject({
      kind: 'exhausted',
      account: 'task',
      left: 5,
    });
    expect((await balanceOf(bench, job))?.held).toEqual({ tokens: 15 });
    expect((await balanceOf(bench, task))?.held).toEqual({ tokens: 15 });
    // The quota has given 15 only, else there were less than 85 left in it.
    expect(await reserve(bench, tryOf(bench, 3), [quota], { tokens: 85 })).toEqual(granted);
    expect((await reserve(bench, tryOf(bench, 4), [accounts[0] ?? quota, quota], { tokens: 20 })).kind).toBe(
      'wait',
    );
    expect((await balanceOf(bench, job))?.held).toEqual({ tokens: 15 });
    const stranger = limited(budgetOf(bench, 'never-opened'), {});
    expect((await reserve(bench, tryOf(bench, 5), [accounts[0] ?? quota, stranger], {})).kind).toBe('absent');
  });

  promise(rig, 'budgets of two jobs and of two tenants are their own', async (bench) => {
    const { make, ports } = bench;
    const mine = await opened(bench);
    for (const other of [
      { ...mine, job: make.otherJob },
      { ...mine, tenant: make.otherTenant },
    ]) {
      got(await ports.ledger.rebuild(other, { tokens: 9 }));
      expect((await balanceOf(bench, other))?.spent).toEqual({ tokens: 9 });
    }
    expect((await balanceOf(bench, mine))?.spent).toEqual({});
  });

  promise(rig, 'of fifty reservations at the same instant as many are granted as fit', async (bench) => {
    const budget = await opened(bench);
    const asked = Array.from({ length: 50 }, (_, step) =>
      reserve(bench, tryOf(bench, step), [limited(budget, { model_calls: 10 })], { model_calls: 1 }),
    );
    const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'granted')).toHaveLength(10);
    expect(kinds.filter((kind) => kind === 'exhausted')).toHaveLength(40);
  });
};
