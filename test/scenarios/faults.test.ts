import type { FaultName, Faults } from '@foldmesh/embedded';
import { describe, expect } from 'vitest';
import {
  allComplete,
  everyJobEnds,
  noDeadLetters,
  oneWitnessRowPerEffect,
  unsafeOnceOrUnknown,
} from './checks.ts';
import { mild, safeJob, trip, unsafeJob } from './faulty.ts';
import type { Setup } from './mesh.ts';
import { scenario } from './scenario.ts';

const high: Readonly<Record<FaultName, number>> = {
  repeat: 0.5,
  delay: 0.5,
  reorder: 0.5,
  loseAck: 0.5,
  lateAck: 0.5,
  lateWorking: 0.9,
  losePublishReply: 0.5,
  forgetDelay: 0.7,
  loseCast: 0.3,
  conflictOwn: 0.5,
  loseAppendReply: 0.5,
  loseRecord: 0.1,
  loseClaimReply: 0.5,
  loseGripReply: 0.5,
  staleIndex: 0.7,
  full: 0.2,
  unavailable: 0.3,
  slow: 0.5,
};

/** What others need before they can show: nobody hands anything back where nothing else goes wrong. */
const beside: Partial<Record<FaultName, Partial<Faults>>> = { forgetDelay: { repeat: 0.5 } };

/** Nobody renews what is done at once: with such an ack wait it is not. */
const briefly: Partial<Setup> = { host: { ackWaitMs: 300 }, stores: { ackWaitMs: 300 } };

describe('each fault alone, at a high rate', () => {
  for (const [name, rate] of Object.entries(high) as [FaultName, number][]) {
    // One slot each, so that work waits in a queue: what never waits cannot be passed over.
    const setup: Setup = {
      workers: 2,
      managers: 2,
      slots: 1,
      faults: { ...beside[name], [name]: rate },
      ...(name === 'lateWorking' && briefly),
    };

    scenario(`${name}: what may be asked twice happens once`, { ...setup, skills: [trip] })
      .seeds(3)
      .submit(safeJob('x'))
      .run()
      .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters, ({ injected }) => {
        expect(injected[name], `${name} was never injected`).toBeGreaterThan(0);
      });

    // A store that loses single records and keeps its mark hides that it has forgotten: nothing can be promised there.
    if (name === 'loseRecord') continue;

    scenario(`${name}: what may not be asked twice is done once, or said to be unknown`, setup)
      .seeds(3)
      .submit(unsafeJob)
      .run()
      .expect(everyJobEnds, unsafeOnceOrUnknown);
  }
});

describe('all faults together, and a world outside that loses replies', () => {
  const setup = { workers: 2, managers: 2, gateways: 2, flaky: 0.1 };

  scenario('what may be asked twice happens once', {
    ...setup,
    faults: { ...mild, loseRecord: 0.02 },
    skills: [trip],
  })
    .seeds(50)
    .submit(safeJob('x'))
    .submit(safeJob('y'))
    .run()
    .expect(everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters);

  scenario('what may not be asked twice is done once, or said to be unknown', { ...setup, faults: mild })
    .seeds(50)
    .submit(unsafeJob)
    .run()
    .expect(everyJobEnds, unsafeOnceOrUnknown);
});
