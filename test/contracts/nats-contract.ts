import { describe } from 'vitest';
import { blobsContract } from './blobs-contract.ts';
import { busContract } from './bus-contract.ts';
import { deadLettersContract } from './dead-letters-contract.ts';
import { indexContract } from './index-contract.ts';
import { journalContract } from './journal-contract.ts';
import type { OnNats } from './nats-rig.ts';
import type { Rig } from './rig.ts';

/** What every NATS server has to keep, whatever its version and wherever it runs. */
export const natsContract = (rig: Rig<OnNats>): void => {
  // One part after the other: the manager has sixteen shards for all of them.
  busContract(rig);
  describe.concurrent('stores', () => {
    journalContract(rig);
    indexContract(rig);
    blobsContract(rig);
    deadLettersContract(rig);
  });
};
