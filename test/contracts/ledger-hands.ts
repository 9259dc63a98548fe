import type { Amounts } from '@foldmesh/envelope';
import type { Account, Balance, BudgetId, Reserved, TryId } from '@foldmesh/ports';
import { type Bench, got } from './rig.ts';

export type LedgerBench = Bench<'ledger'>;

export const budgetOf = ({ make }: LedgerBench, name = '_job'): BudgetId => ({
  tenant: make.tenant,
  job: make.job,
  name,
});

/** A budget that the ledger knows, and nothing of which is spent. */
export const opened = async (bench: LedgerBench, name?: string): Promise<BudgetId> => {
  const budget = budgetOf(bench, name);
  got(await bench.ports.ledger.rebuild(budget, {}));
  return budget;
};

export const limited = (budget: BudgetId, limits: Amounts): Account => ({ kind: 'budget', budget, limits });

/** A provider's quota that no other test names. */
export const quotaOf = (
  { make }: LedgerBench,
  limits: Amounts,
  windowMs: number,
): Extract<Account, { kind: 'quota' }> => ({
  kind: 'quota',
  name: `provider/${make.job}`,
  limits,
  windowMs,
});

export const tryOf = ({ make }: LedgerBench, step: number, number = 1): TryId => ({
  key: make.key(step),
  try: number,
});

/** Reserves for a lease that outlives the test. */
export const reserve = async (
  bench: LedgerBench,
  id: TryId,
  accounts: readonly Account[],
  amounts: Amounts,
  leaseMs = 100 * bench.leaseMs,
): Promise<Reserved> => got(await bench.ports.ledger.reserve({ ...id, accounts, amounts, leaseMs }));

/** Of a budget that the ledger must know; amounts of nothing left out. */
export const balanceOf = async ({ ports }: LedgerBench, budget: BudgetId): Promise<Balance | undefined> => {
  const balance = got(await ports.ledger.balance(budget));
  if (balance === undefined) return undefined;
  const { spent, held, estimated } = balance;
  return { spent: some(spent), held: some(held), estimated: some(estimated) };
};

const some = (amounts: Amounts): Amounts =>
  Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== 0));
