import { describe, expect } from 'vitest';
import { handlingAll } from './bus-faults.ts';
import { interleaving } from './inbox-interleavings.ts';
import { writingOnce } from './journal-faults.ts';
import { factOf } from './memory-contract.ts';
import { insist, promise, type Rig } from './rig.ts';
import { bytesOf } from './samples.ts';

/** What holds on every adapter, whatever goes wrong with it: its users ask again, and judge for themselves. */
export const underFaults = (rig: Rig): void => {
  describe(`under faults, on ${rig.name}`, () => {
    describe('the bus', () => handlingAll(rig));
    describe('the journal', () => writingOnce(rig));
    describe('the inbox', () => interleaving(rig));

    promise(rig, 'a blob that was put is found', async (bench) => {
      const { ports, make } = bench;
      const ref = await insist(bench, () => ports.blobs.put(make.tenant, make.job, bytesOf('content')));
      expect(await insist(bench, () => ports.blobs.get(make.tenant, make.job, ref.digest))).toEqual(
        bytesOf('content'),
      );
    });

    promise(rig, 'a value that was put is listed', async (bench) => {
      const { ports, make } = bench;
      const subject = `mesh.v1.${make.tenant}.index.job`;
      await insist(bench, () => ports.index.put(subject, { status: 'running' }));
      expect(await insist(bench, () => ports.index.list(subject))).toEqual([
        { subject, value: { status: 'running' } },
      ]);
    });

    promise(rig, 'a dead letter is kept once, the first of its id', async (bench) => {
      const { ports, make } = bench;
      for (const reason of ['first', 'second'])
        await insist(bench, () => ports.dead.put(make.deadLetter('a', { reason })));
      const kept = await insist(bench, () => ports.dead.list(make.tenant, make.job));
      expect(kept.map(({ reason }) => reason)).toEqual(['first']);
    });

    promise(rig, 'a fact that was written over and over is found once', async (bench) => {
      const { ports, make } = bench;
      for (const text of ['first', 'second', 'third'])
        await insist(bench, () => ports.memory.write(factOf(bench, 1, { text })));
      const { tenant } = make;
      const found = await insist(bench, () => ports.memory.query({ tenant, limit: 10 }));
      expect(found.map(({ text }) => text)).toEqual(['first']);
    });
  });
};
