import { describe } from 'vitest';
import { appending } from './journal-append.ts';
import { following } from './journal-follow.ts';
import { racing } from './journal-races.ts';
import { reading } from './journal-read.ts';
import type { Rig } from './rig.ts';

/** What every journal keeps: one line of entries per entity, guarded by the sequence its writer expects. */
export const journalContract = (rig: Rig<'journal'>): void => {
  describe(`the journal on ${rig.name}`, () => {
    describe('appending', () => appending(rig));
    describe('reading', () => reading(rig));
    describe('following', () => following(rig));
    describe('two writers', () => racing(rig));
  });
};
