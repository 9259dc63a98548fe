import { describe } from 'vitest';
import { budgeting } from './ledger-budgets.ts';
import { sharing } from './ledger-quotas.ts';
import { trying } from './ledger-tries.ts';
import type { Rig } from './rig.ts';

/** What every ledger keeps: no account is drawn on beyond its limit, and each try counts once (L1 to L4). */
export const ledgerContract = (rig: Rig<'ledger'>): void => {
  describe(`the ledger on ${rig.name}`, () => {
    describe('budgets', () => budgeting(rig));
    describe('tries', () => trying(rig));
    describe('quotas', () => sharing(rig));
  });
};
