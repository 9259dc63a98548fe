import { systemClock, systemRandom } from '@foldmesh/system';
import { describe, expect } from 'vitest';
import { handlingAll } from './bus-faults.ts';
import { writingOnce } from './journal-faults.ts';
import type { OnNats } from './nats-rig.ts';
import { natsScene } from './nats-scene.ts';
import { insist, promise, type Rig } from './rig.ts';
import { bytesOf } from './samples.ts';

/** A message, and all of what makes one connection what it is. */
const replies = /^H?MSG /;
const hasty = { ackWaitMs: 400, duplicateWindowMs: 1_200 };
const timeoutMs = 180_000;

/** A server for each test, and a network that loses one of so many things that it says. */
const losing = (lostEvery: number): Rig<OnNats> => ({
  name: 'NATS',
  timings: { ...hasty, leaseMs: 400, slackMs: 200, patienceMs: 10_000 },
  runs: 1,
  timeoutMs,
  run: async (test) => {
    await using scene = await natsScene({
      topology: hasty,
      timings: { requestMs: 250, pingMs: 1_000, reconnectMs: 50, pullMs: 1_500, heartbeatMs: 150 },
    });
    let said = 0;
    scene.proxy.dropReplies((bytes) => {
      if (!replies.test(bytes.toString('latin1'))) return false;
      said += 1;
      return said % lostEvery === 0;
    });
    await test({ ...scene.ports, clock: systemClock }, systemRandom.hex(4));
    expect(scene.proxy.counts().repliesDropped).toBeGreaterThan(0);
  },
});

describe.concurrent('where replies are lost now and then, on NATS', { timeout: timeoutMs }, () => {
  describe('the bus', () => handlingAll(losing(12)));
  describe('the journal', () => writingOnce(losing(60))); // reading an entity is a request for each of its entries

  promise(losing(12), 'blobs are found, values listed, dead letters kept once', async (bench) => {
    const { ports, make } = bench;
    const root = `mesh.v1.${make.tenant}.index`;
    for (let n = 1; n <= 20; n++) {
      const { digest } = await insist(bench, () => ports.blobs.put(make.tenant, make.job, bytesOf(`${n}`)));
      expect(await insist(bench, () => ports.blobs.get(make.tenant, make.job, digest))).toEqual(
        bytesOf(`${n}`),
      );
      await insist(bench, () => ports.index.put(`${root}.${n}`, n));
      await insist(bench, () => ports.dead.put(make.deadLetter(`${n % 5}`, { reason: `${n}` })));
    }
    const listed = await insist(bench, () => ports.index.list(root));
    expect(listed.map(({ value }) => value)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    const letters = await insist(bench, () => ports.dead.list(make.tenant, make.job));
    expect(letters.map(({ reason }) => reason)).toEqual(['1', '2', '3', '4', '5']);
  });
});
