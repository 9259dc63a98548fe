import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { expectAllDone, expectDoneOrUnknown } from './mesh/expect-settled.ts';
import { linkedMesh } from './mesh/linked-mesh.ts';
import { passing } from './mesh/outage.ts';
import { type Absence, isFull, noting } from './mesh/outage-form.ts';
import { type RealMesh, realMesh } from './mesh/real-mesh.ts';
import { consumersOf } from './mesh/stream-state.ts';
import { underLoad } from './mesh/under-load.ts';

const timeout = 300_000;
const cuts = isFull ? 50 : 10;
const slowMs = isFull ? 10_000 : 6_000;
const everyMs = 200;
const streams = ['MESH_SUBMIT', 'MESH_WORK', 'MESH_JOURNAL', 'MESH_INDEX', 'MESH_BLOBS', 'MESH_DEAD'];

describe('a mesh whose links', () => {
  it('to NATS are cut again and again leaves no consumer behind', { timeout }, async () => {
    await using linked = await linkedMesh();
    const { mesh, link } = linked;
    const before = await consumerCount(mesh);
    await underLoad(
      mesh,
      `links cut ${cuts} times`,
      async (recovery) => {
        for (let cut = 0; cut < cuts; cut++) {
          link.cut();
          await passing(everyMs);
          await link.mend();
          await passing(everyMs);
        }
        await recovery.probe();
      },
      expectAllDone,
    );
    // The server drops what a lost connection read with a moment after it has lost it.
    await eventually(async () => expect(await consumerCount(mesh)).toBe(before), {
      withinMs: 60_000,
      everyMs: 500,
    });
  });

  it('to NATS are slower than its deliveries are held loses and doubles nothing', { timeout }, async () => {
    await using linked = await linkedMesh();
    const { mesh, link } = linked;
    await underLoad(
      mesh,
      'links slow by 3 s',
      async (recovery) => {
        link.delay(3_000);
        await passing(slowMs);
        await link.mend();
        await recovery.probe();
      },
      expectAllDone,
    );
  });

  it('to both servers end at once, and the servers with them, goes on', { timeout }, async () => {
    await using mesh = await realMesh({ workers: 2 });
    const absences: Absence[] = [];
    await underLoad(
      mesh,
      'both servers stopped',
      async (recovery) => {
        await noting(absences, async () => {
          await Promise.all([mesh.nats.stop(), mesh.redis.stop()]);
          await passing(3_000);
          await Promise.all([mesh.nats.restart(), mesh.redis.restart()]);
          await recovery.probe();
        });
      },
      // Who was in the middle of an unsafe effect meets another life of the store.
      (_, accepted) => expectDoneOrUnknown(mesh, accepted, absences),
    );
  });
});

const consumerCount = async ({ nats }: RealMesh): Promise<number> => {
  let count = 0;
  for (const stream of streams) count += (await consumersOf(nats, stream)).length;
  return count;
};
