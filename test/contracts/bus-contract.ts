import { describe } from 'vitest';
import { coreSubjects } from './bus-core.ts';
import { holding } from './bus-holds.ts';
import { publishing } from './bus-publish.ts';
import { purging } from './bus-purge.ts';
import { sharing } from './bus-sharing.ts';
import { standings } from './bus-standing.ts';
import type { Rig } from './rig.ts';

/** What every bus keeps, as awkward as the real broker: at least once, shared, unfenced. */
export const busContract = (rig: Rig<'bus'>): void => {
  describe(`the bus on ${rig.name}`, () => {
    describe('publishing', () => publishing(rig));
    describe('sharing a queue', () => sharing(rig));
    // They wait most of the time, each for a queue of its own.
    describe.concurrent('acks and holds', () => holding(rig));
    describe('how a queue stands', () => standings(rig));
    describe('purging a job', () => purging(rig));
    describe('core subjects', () => coreSubjects(rig));
  });
};
