import type { FaultCounts } from '@foldmesh/embedded';
import { describe, expect, it } from 'vitest';
import { blobsContract } from './blobs-contract.ts';
import { busContract } from './bus-contract.ts';
import { deadLettersContract } from './dead-letters-contract.ts';
import { embeddedRig } from './embedded-rig.ts';
import { inboxContract } from './inbox-contract.ts';
import { indexContract } from './index-contract.ts';
import { journalContract } from './journal-contract.ts';
import { memoryContract } from './memory-contract.ts';
import { underFaults } from './under-faults.ts';

const rig = embeddedRig(1);

busContract(rig);
journalContract(rig);
inboxContract(rig);
blobsContract(rig);
indexContract(rig);
deadLettersContract(rig);
memoryContract(rig);

/** What may go wrong and leave promises standing: a vanished record and a lost core message leave none. */
const faults = {
  repeat: 0.2,
  delay: 0.2,
  reorder: 0.3,
  loseAck: 0.2,
  losePublishReply: 0.2,
  forgetDelay: 0.3,
  conflictOwn: 0.15,
  loseAppendReply: 0.15,
  loseClaimReply: 0.2,
  unavailable: 0.15,
  slow: 0.2,
} as const;

describe('five seeds', () => {
  const injected = new Map<string, number>();
  const count = (counts: FaultCounts): void => {
    for (const [name, times] of Object.entries(counts)) injected.set(name, (injected.get(name) ?? 0) + times);
  };

  for (const seed of [1, 2, 3, 4, 5]) underFaults(embeddedRig(seed, faults, {}, count));

  it('injected each fault at least once, or the tests above have tried nothing', () => {
    expect(Object.keys(faults).filter((name) => (injected.get(name) ?? 0) === 0)).toEqual([]);
  });
});
