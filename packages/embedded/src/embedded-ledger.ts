import { type Amounts, checkAmounts, ok, positive } from '@foldmesh/envelope';
import type {
  Account,
  Balance,
  BudgetId,
  Clock,
  Ended,
  Ledger,
  Reservation,
  Reserved,
  TryId,
} from '@foldmesh/ports';
import { draw, type Quota, turnOf } from './ledger-quota.ts';
import { type LedgerShelf, ledgerShelf } from './ledger-shelf.ts';
import { copyJson, type EmbeddedWorld, portCall, type Stand, standOf, unanswered } from './stand.ts';

/** The ledger in memory: each transition is one step, by the store's own clock. */
export const embeddedLedger = (world: EmbeddedWorld): Ledger => ledgerOn(standOf(world));

const source = 'embedded-ledger';

interface Budget {
  readonly spent: Map<string, number>;
  /** What is reserved and has not ended, by try. */
  readonly open: Map<string, { leaseUntil: number; readonly amounts: Amounts }>;
}

type Try =
  | { readonly status: 'open'; readonly amounts: Amounts; readonly accounts: readonly Account[] }
  | { readonly status: 'ended' };

interface Books {
  readonly clock: Clock;
  readonly keepMs: number;
  readonly budgets: LedgerShelf<Budget>;
  readonly tries: LedgerShelf<Try>;
  readonly quotas: LedgerShelf<Quota>;
}

const ledgerOn = (stand: Stand): Ledger => {
  const { clock, dice, settings } = stand;
  const call = portCall(stand, source);
  const books: Books = {
    clock,
    keepMs: settings.unfinishedKeepMs,
    budgets: ledgerShelf(clock),
    tries: ledgerShelf(clock),
    quotas: ledgerShelf(clock),
  };
  return {
    reserve: (asked) => {
      for (const { limits } of [{ limits: asked.amounts }, ...asked.accounts]) checkAmounts(limits);
      const { amounts, ...rest } = copyJson(asked);
      return call(() => {
        const answer = reserve(books, { ...rest, amounts: positive(amounts) });
        return answer.kind === 'granted' && dice.hits('loseClaimReply') ? unanswered(source) : ok(answer);
      });
    },
    settle: (id, amounts) => {
      checkAmounts(amounts);
      const took = positive(amounts);
      return call(() => ok(end(books, id, took)));
    },
    release: (id) => call(() => ok(end(books, id, {}))),
    rebuild: (of, spent) => {
      checkAmounts(spent);
      const sum = { ...spent };
      return call(() => {
        rebuild(books, of, sum);
        return ok(undefined);
      });
    },
    balance: (of) =>
      call(() => {
        const budget = books.budgets.find(budgetName(of));
        return ok(budget && balanceOf(budget, clock.monotonic()));
      }),
  };
};

const reserve = (books: Books, asked: Reservation): Reserved => {
  const { clock, keepMs, budgets, tries } = books;
  const name = nameOf(asked);
  const known = tries.find(name);
  if (known?.status === 'ended') return { kind: 'ended' };
  const refused = known === undefined ? refusalOf(books, asked, clock.now()) : undefined;
  if (refused !== undefined) return refused;
  const { accounts, amounts } = known ?? asked;
  const leaseUntil = clock.monotonic() + asked.leaseMs;
  for (const account of accounts) {
    if (account.kind === 'quota') {
      if (known === undefined) drawOn(books, account, amounts, {});
      continue;
    }
    const budget = budgets.find(budgetName(account.budget));
    // One that was forgotten meanwhile is known again when it is rebuilt.
    if (budget === undefined || (known !== undefined && !budget.open.has(name))) continue;
    budget.open.set(name, { leaseUntil, amounts });
    budgets.keep(budgetName(account.budget), budget, keepMs);
  }
  tries.keep(name, { status: 'open', amounts, accounts }, keepMs);
  return { kind: 'granted' };
};

const end = (books: Books, id: TryId, took: Amounts): Ended => {
  const { keepMs, budgets, tries } = books;
  const name = nameOf(id);
  const known = tries.find(name);
  if (known === undefined) return 'absent';
  if (known.status === 'ended') return 'already';
  for (const account of known.accounts) {
    if (account.kind === 'quota') {
      drawOn(books, account, took, known.amounts);
      continue;
    }
    const budget = budgets.find(budgetName(account.budget));
    if (budget === undefined) continue;
    budget.open.delete(name);
    addTo(budget.spent, took);
    budgets.keep(budgetName(account.budget), budget, keepMs);
  }
  tries.keep(name, { status: 'ended' }, keepMs);
  return 'counted';
};

const rebuild = ({ clock, keepMs, budgets }: Books, of: BudgetId, spent: Amounts): void => {
  const budget = budgets.find(budgetName(of)) ?? { spent: new Map(), open: new Map() };
  const { estimated } = balanceOf(budget, clock.monotonic());
  for (const [unit, amount] of Object.entries(spent)) {
    const known = (budget.spent.get(unit) ?? 0) + (estimated[unit] ?? 0);
    if (amount > known) addTo(budget.spent, { [unit]: amount - known });
  }
  budgets.keep(budgetName(of), budget, keepMs);
};

/** Why nothing is drawn on; what waiting cannot mend is said before what it can. */
const refusalOf = (books: Books, asked: Reservation, now: number): Reserved | undefined => {
  let wait: Extract<Reserved, { kind: 'wait' }> | undefined;
  for (const account of asked.accounts) {
    if (account.kind === 'budget') {
      const refused = refusedBy(books.budgets.find(budgetName(account.budget)), account, asked.amounts);
      if (refused !== undefined) return refused;
      continue;
    }
    const { name, limits } = account;
    for (const [unit, amount] of Object.entries(asked.amounts)) {
      const limit = limits[unit];
      if (limit === undefined) continue;
      if (amount > limit) return { kind: 'exhausted', account: name, unit, left: limit };
      const waitMs = turnOf(books.quotas.find(name), account, unit, amount, now);
      if (waitMs > (wait?.waitMs ?? 0)) wait = { kind: 'wait', account: name, waitMs };
    }
  }
  return wait;
};

const refusedBy = (
  budget: Budget | undefined,
  { budget: { name }, limits }: Extract<Account, { kind: 'budget' }>,
  amounts: Amounts,
): Reserved | undefined => {
  if (budget === undefined) return { kind: 'absent', account: name };
  for (const [unit, amount] of Object.entries(amounts)) {
    const left = (limits[unit] ?? Infinity) - countedIn(budget, unit);
    if (amount > left) return { kind: 'exhausted', account: name, unit, left };
  }
  return undefined;
};

const drawOn = (
  { clock, quotas }: Books,
  account: Extract<Account, { kind: 'quota' }>,
  took: Amounts,
  less: Amounts,
): void => {
  const quota = quotas.find(account.name) ?? new Map();
  quotas.keep(account.name, quota, draw(quota, account, took, less, clock.now()));
};

const countedIn = ({ spent, open }: Budget, unit: string): number => {
  let sum = spent.get(unit) ?? 0;
  for (const { amounts } of open.values()) sum += amounts[unit] ?? 0;
  return sum;
};

const balanceOf = ({ spent, open }: Budget, now: number): Balance => {
  const held = new Map<string, number>();
  const estimated = new Map<string, number>();
  for (const { leaseUntil, amounts } of open.values()) addTo(leaseUntil > now ? held : estimated, amounts);
  return {
    spent: Object.fromEntries(spent),
    held: Object.fromEntries(held),
    estimated: Object.fromEntries(estimated),
  };
};

const addTo = (sums: Map<string, number>, amounts: Amounts): void => {
  for (const [unit, amount] of Object.entries(amounts)) sums.set(unit, (sums.get(unit) ?? 0) + amount);
};

const budgetName = ({ tenant, job, name }: BudgetId): string => `${tenant}/${job}/${name}`;

const nameOf = ({ key, try: number }: TryId): string => `${key}/${number}`;
