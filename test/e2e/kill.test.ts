import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { expectNothingPending } from './mesh/expect-settled.ts';
import { type Kill, killAtRandom, seeded } from './mesh/kills.ts';
import { openClaims } from './mesh/leases.ts';
import { mixedJob } from './mesh/mixed-jobs.ts';
import { mixedLoad } from './mesh/mixed-load.ts';
import { type MeshProcess, type RealMesh, realMesh } from './mesh/real-mesh.ts';
import { type Reckoning, reckon } from './mesh/reckoning.ts';

// Twenty of each take minutes: FOLDMESH_TEST_KILLS=20.
const killsMax = Number(process.env['FOLDMESH_TEST_KILLS'] ?? 5);
const timeout = 180_000 + killsMax * 30_000;
const lanes = 5;

interface Story {
  readonly kills: readonly Kill[];
  readonly came: Reckoning;
  /** Of runs of skills: those that had been begun before by another process. */
  readonly runAgain: number;
}

/** Jobs of all kinds run while processes are killed; at the end all of it is as if nobody had been. */
const killUnderLoad = async (
  mesh: RealMesh,
  victims: readonly MeshProcess[],
  count: number,
  isGateway = false,
): Promise<Story> => {
  const { seed, random } = seeded();
  const what = `${count} kills of ${victims[0]?.name} (FOLDMESH_TEST_SEED=${seed})`;
  process.stdout.write(`${what}\n`);
  const began = performance.now();
  const load = mixedLoad(mesh.client, lanes, (at) =>
    mixedJob(at, () => 50 + Math.round(random.float() * 350)),
  );
  await eventually(() => load.open() >= lanes - 1, { withinMs: 30_000 });
  // What is looked for at the end is seen while there is some.
  await eventually(async () => (await openClaims(mesh.redis)).live > 0, { withinMs: 30_000, everyMs: 5 });
  // Of the one gateway every call is in the same hands: killed as fast as the others, it would soon be four times the same.
  const momentMsMax = isGateway ? 2_500 : 1_200;
  const kills = await killAtRandom(mesh, victims, count, random, { momentMsMax, open: load.open });
  const ended = await load.stop();
  const allowed = {
    mayBeUnknown: isGateway,
    mayRepeat: isGateway,
    killedAt: kills.map(({ at }) => at),
  };
  const { struck } = reckon(ended, await mesh.rows(), allowed);
  await expectNothingPending(mesh, 90_000, struck);
  // Once more, now that nobody is left who could do anything.
  const came = reckon(ended, await mesh.rows(), allowed);
  await eventually(async () => expect((await openClaims(mesh.redis)).live).toBe(0), { withinMs: 30_000 });
  const { lapsed } = await openClaims(mesh.redis);
  const starts = Map.groupBy(await mesh.runs(), ({ name }) => name);
  const runAgain = [...starts.values()].filter((all) => new Set(all.map(({ pid }) => pid)).size > 1).length;
  const hit = kills.filter(({ inHand }) => inHand > 0).length;
  const seconds = Math.round((performance.now() - began) / 1_000);
  process.stdout.write(
    `${what}: ${hit} with messages in hand, ${runAgain} skills run again; ${JSON.stringify(came)}, ` +
      `${lapsed.length} lapsed claims left to expire, in ${seconds} s\n`,
  );
  return { kills, came, runAgain };
};

/** A run that hit nothing, or had nothing to do, has shown nothing. */
const expectHits = ({ kills, came }: Story): void => {
  expect(kills.filter(({ open }) => open > 0).length).toBeGreaterThanOrEqual(kills.length / 2);
  expect(came.jobs).toBeGreaterThan(kills.length);
  expect(came.effects).toBeGreaterThan(3 * kills.length);
};

describe('under a stream of jobs no effect is lost or doubled when', () => {
  it('workers are killed', { timeout }, async () => {
    await using mesh = await realMesh({ workers: 2 });
    const story = await killUnderLoad(mesh, mesh.workers, killsMax);
    expectHits(story);
    expect(story.came.completed + story.came.struck).toBe(story.came.jobs);
    expect(story.came.struck).toBeLessThanOrEqual(1);
    expect(story.kills.filter(({ inHand }) => inHand > 0).length).toBeGreaterThanOrEqual(killsMax / 2);
    expect(story.runAgain).toBeGreaterThanOrEqual(Math.min(2, killsMax));
    expect(new Set(story.kills.map(({ pid }) => pid)).size).toBe(killsMax);
  });

  it('the manager is killed', { timeout }, async () => {
    await using mesh = await realMesh({ workers: 2 });
    const story = await killUnderLoad(mesh, [mesh.manager], killsMax);
    expectHits(story);
    expect(story.came.completed).toBe(story.came.jobs);
  });

  it('the gateway is killed', { timeout }, async () => {
    await using mesh = await realMesh({ workers: 2 });
    const story = await killUnderLoad(mesh, [mesh.gateway], Math.ceil(killsMax / 2), true);
    expectHits(story);
    expect(story.came.completed + story.came.unknown + story.came.struck).toBe(story.came.jobs);
    expect(story.came.struck).toBeLessThanOrEqual(1);
    // Most jobs have an unsafe effect or two, but not at every moment.
    expect(story.came.completed).toBeGreaterThan(story.came.unknown);
    expect(story.kills.filter(({ inHand }) => inHand > 0).length).toBeGreaterThanOrEqual(1);
    expect(new Set((await mesh.rows()).map(({ pid }) => pid)).size).toBeGreaterThan(1);
  });
});
