import { describe } from 'vitest';
import { claiming } from './inbox-claims.ts';
import { ending } from './inbox-endings.ts';
import { halting } from './inbox-halts.ts';
import { interleaving } from './inbox-interleavings.ts';
import { striking } from './inbox-strikes.ts';
import type { Rig } from './rig.ts';

/** What every dedup store keeps: one holder at a time, growing tokens, and an outcome that never changes. */
export const inboxContract = (rig: Rig<'inbox'>): void => {
  describe(`the inbox on ${rig.name}`, () => {
    describe('claims and leases', () => claiming(rig));
    describe('strikes and unknown outcomes', () => striking(rig));
    describe('outcomes and releases', () => ending(rig));
    describe('halted jobs', () => halting(rig));
    describe('any order of events', () => interleaving(rig));
  });
};
