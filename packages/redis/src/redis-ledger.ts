import {
  type Amounts,
  checkAmounts,
  Defect,
  decodeJson,
  fail,
  fault,
  invariant,
  ok,
  positionOf,
  positive,
  type Result,
} from '@foldmesh/envelope';
import type { Account, Balance, BudgetId, Ended, Ledger, Reserved, TryId } from '@foldmesh/ports';
import { z } from 'zod';
import type { Link } from './link.ts';
import { source } from './redis-fault.ts';
import { type RedisSettings, settingDefaults } from './settings.ts';

/** The ledger on Redis: each transition is one script over one node's keys, by the server's clock (ADR 16). */
export const redisLedger = (link: Link, settings: RedisSettings): Ledger => {
  const { unfinishedKeepMs: keepMs = settingDefaults.unfinishedKeepMs } = settings;

  const end = async (id: TryId, amounts: Amounts): Promise<Result<Ended>> => {
    const took = amountsJson(amounts);
    const answer = await link.tell((client) => client.ledgerEnd(1, tryKey(id), nameOf(id), took, keepMs));
    if (!answer.ok) return answer;
    const ended = answer.value;
    invariant(ended === 'counted' || ended === 'already' || ended === 'absent', `a script answered ${ended}`);
    return ok(ended);
  };

  return {
    reserve: async (reservation) => {
      const { accounts, amounts, leaseMs } = reservation;
      for (const { limits } of [{ limits: amounts }, ...accounts]) checkAmounts(limits);
      const asked = JSON.stringify({
        leaseMs: Math.ceil(leaseMs),
        amounts: positive(amounts),
        accounts: accounts.map(accountJson),
      });
      const keys = [tryKey(reservation), ...accounts.map(accountKey)];
      const answer = await link.ask((client) =>
        client.ledgerReserve(keys.length, ...keys, nameOf(reservation), asked, keepMs),
      );
      return answer.ok ? ok(reservedOf(answer.value)) : answer;
    },
    settle: end,
    release: (id) => end(id, {}),
    rebuild: async (budget, spent) => {
      const sum = amountsJson(spent);
      const answer = await link.ask((client) => client.ledgerRebuild(budgetKey(budget), sum, keepMs));
      return answer.ok ? ok(undefined) : answer;
    },
    balance: async (budget) => {
      const answer = await link.ask((client) => client.ledgerBalance(budgetKey(budget)));
      if (!answer.ok) return answer;
      return answer.value === null ? ok(undefined) : balanceOf(String(answer.value));
    },
  };
};

const reservedOf = (answer: unknown): Reserved => {
  invariant(Array.isArray(answer), 'a script answered no list');
  const [kind, account, unit, left] = answer.map(String);
  switch (kind) {
    case 'granted':
    case 'ended':
      return { kind };
    case 'absent':
      return { kind, account: account ?? '' };
    case 'wait':
      return { kind, account: account ?? '', waitMs: Number(unit) };
    case 'exhausted':
      return { kind, account: account ?? '', unit: unit ?? '', left: Number(left) };
    default:
      throw new Defect(`a script answered ${kind}`);
  }
};

const amountsByUnit = z.record(z.string(), z.int());
const BalanceJson = z.strictObject({ spent: amountsByUnit, held: amountsByUnit, estimated: amountsByUnit });

const balanceOf = (text: string): Result<Balance> => {
  const decoded = decodeJson(new TextEncoder().encode(text));
  if (!decoded.ok) return decoded;
  const parsed = BalanceJson.safeParse(decoded.value);
  return parsed.success
    ? ok(parsed.data)
    : fail(fault('invalid', `a budget is unreadable: ${z.prettifyError(parsed.error)}`, { source }));
};

const amountsJson = (amounts: Amounts): string => {
  checkAmounts(amounts);
  return JSON.stringify(positive(amounts));
};

const accountJson = (account: Account) =>
  account.kind === 'budget'
    ? { kind: account.kind, name: account.budget.name, limits: account.limits }
    : { kind: account.kind, name: account.name, limits: account.limits, windowMs: account.windowMs };

const accountKey = (account: Account): string =>
  account.kind === 'budget' ? budgetKey(account.budget) : `foldmesh:{quota}:${account.name}`;

const budgetKey = ({ tenant, job, name }: BudgetId): string => `foldmesh:{${tenant}/${job}}:budget:${name}`;

const nameOf = ({ key, try: number }: TryId): string => `${key}/${number}`;

const tryKey = (id: TryId): string => {
  const { tenant, job } = positionOf(id.key);
  return `foldmesh:{${tenant}/${job}}:try:${nameOf(id).slice(`${tenant}/${job}/`.length)}`;
};
