import { invariant } from './invariant.ts';

/**
 * Whole numbers by unit: `tokens`, `cost_micro_usd`, `model_calls`, `wall_ms`. A unit is a word of letters, digits and
 * `_`; which there are is the caller's affair. Below 10^12 each.
 */
export type Amounts = Readonly<Record<string, number>>;

/** Above any amount, and far below where a sum of them would be counted wrongly. */
const amountMax = 10 ** 12;
const unitPattern = /^[A-Za-z0-9_]{1,64}$/;

/** What a ledger would count wrongly is a mistake of ours. */
export const checkAmounts = (amounts: Amounts): void => {
  for (const [unit, amount] of Object.entries(amounts)) {
    invariant(unitPattern.test(unit), `${unit} is no unit`);
    invariant(
      Number.isInteger(amount) && amount >= 0 && amount < amountMax,
      `${amount} is no amount of ${unit}`,
    );
  }
};

/** Without the units of which nothing is meant. */
export const positive = (amounts: Amounts): Amounts =>
  Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount > 0));
