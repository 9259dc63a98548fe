import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { errandJob } from './mesh/errand-load.ts';
import { expectAllDone, expectDoneOrUnknown } from './mesh/expect-settled.ts';
import { expectReasons, passing } from './mesh/outage.ts';
import {
  type Absence,
  isFull,
  noting,
  outageTimeout,
  restartAgainAndAgain,
  restarts,
} from './mesh/outage-form.ts';
import { realMesh } from './mesh/real-mesh.ts';
import { redisCommand } from './mesh/redis-command.ts';
import { type Trouble, underLoad } from './mesh/under-load.ts';

const awayMs = isFull ? 30_000 : 5_000;
/** Three times the hold of these meshes. */
const pauseMs = 6_000;
const timeout = outageTimeout;

describe('a mesh whose Redis server', () => {
  it('is stopped and killed again and again goes on each time, in the same processes', {
    timeout,
  }, async () => {
    await using mesh = await realMesh({ workers: 2 });
    const absences: Absence[] = [];
    const trouble: Trouble = async (recovery) => {
      await restartAgainAndAgain(mesh.redis, recovery, absences);
      await noting(absences, async () => {
        await mesh.redis.stop();
        const away = passing(awayMs);
        await expectReasons(mesh, /redis/i);
        await away;
        await mesh.redis.restart();
        await recovery.probe();
      });
    };
    // Every restart is another life of the store: who was in the middle of an unsafe effect cannot know. Others are not harmed.
    await underLoad(mesh, `redis restarted ${restarts} times`, trouble, (_, accepted) =>
      expectDoneOrUnknown(mesh, accepted, absences),
    );
  });

  it('comes back with nothing of what it knew doubles nothing, and says what nobody knows', {
    timeout,
  }, async () => {
    await using mesh = await realMesh({ workers: 2 });
    const long = await mesh.client.submit(errandJob('long', 10_000));
    const absences: Absence[] = [];
    const trouble: Trouble = async (recovery) => {
      await eventually(async () =>
        expect((await mesh.runs()).map(({ name }) => name)).toContain('long/once'),
      );
      await noting(absences, async () => {
        await mesh.redis.kill();
        await rm(join(mesh.redis.folder, 'appendonlydir'), { recursive: true });
        await passing(3_000);
        await mesh.redis.restart();
        await recovery.probe();
      });
    };
    await underLoad(mesh, 'redis came back empty', trouble, (_, accepted) =>
      expectDoneOrUnknown(mesh, new Map([...accepted, ['long', long]]), absences),
    );
    const { tasks } = await mesh.client.record(long);
    expect(tasks.find(({ id }) => id === 'once')).toMatchObject({ status: 'unknown' });
  });

  it('stands still for longer than a delivery is held', { timeout }, async () => {
    await using mesh = await realMesh({ workers: 2 });
    const absences: Absence[] = [];
    const trouble: Trouble = async (recovery) => {
      await noting(absences, async () => {
        await mesh.redis.pause();
        const away = passing(pauseMs);
        await expectReasons(mesh, /redis/i);
        await away;
        mesh.redis.resume();
        await recovery.probe();
      });
    };
    await underLoad(mesh, `redis stood still for ${pauseMs} ms`, trouble, (_, accepted) =>
      // What was under way when it froze; whatever was decided meanwhile noted the store that it had known.
      expectDoneOrUnknown(mesh, accepted, absences),
    );
  });

  it('is allowed to forget does nothing until it no longer is', { timeout }, async () => {
    await using mesh = await realMesh({ workers: 2 });
    const allow = async (policy: string): Promise<void> => {
      expect(await redisCommand(mesh.redis, `CONFIG SET maxmemory-policy ${policy}`)).toContain('+OK');
    };
    await underLoad(
      mesh,
      'redis was allowed to evict',
      async (recovery, load) => {
        await allow('allkeys-lru');
        await expectReasons(mesh, /redis.*maxmemory-policy is allkeys-lru/);
        // What had been claimed before it was seen may still end.
        const before = await settled(mesh.rows);
        const accepted = load.accepted.size;
        await eventually(() => load.accepted.size >= accepted + 5, { withinMs: 60_000 });
        expect(await mesh.rows()).toHaveLength(before);
        await allow('noeviction');
        await recovery.probe();
      },
      expectAllDone,
    );
  });
});

/** How many rows there are once no more come for a while. */
const settled = async (rows: () => Promise<readonly unknown[]>): Promise<number> => {
  let [count, since] = [-1, 0];
  return eventually(
    async () => {
      const { length } = await rows();
      if (length !== count) [count, since] = [length, performance.now()];
      return performance.now() - since > 3_000 ? count : null;
    },
    { withinMs: 45_000 },
  );
};
