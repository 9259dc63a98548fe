import { invariant } from '@foldmesh/envelope';
import type { Amounts } from '@foldmesh/ports';

const amountMax = 10 ** 12;
const unitPattern = /^[A-Za-z0-9_]{1,64}$/;

/** What is no amount is a mistake of ours. */
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
