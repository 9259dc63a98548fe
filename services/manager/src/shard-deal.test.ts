import { embedded, seededRandom, virtualClock } from '@foldmesh/embedded';
import { invariant, managerSubject, PoolName } from '@foldmesh/envelope';
import { type Running, serve } from '@foldmesh/runtime';
import { describe, expect, it } from 'vitest';
import { ownerOf, type ShardDeal, shardDeal } from './shard-deal.ts';

const shards = Array.from({ length: 16 }, (_, shard) => PoolName.parse(String(shard)));

interface Replica {
  readonly deal: ShardDeal;
  readonly running: Running;
  /** The shards that it may read now. */
  mine(): Promise<readonly string[]>;
}

const clockAndPorts = () => {
  const clock = virtualClock();
  const random = seededRandom('shards');
  return { clock, ports: { ...embedded({ clock, random }), clock, random, log: () => undefined } };
};

type Ground = ReturnType<typeof clockAndPorts>;

const replica = async ({ clock, ports }: Ground): Promise<Replica> => {
  const deal = shardDeal(shards);
  const started = await serve('manager', ports, [deal.part]).start();
  invariant(started.ok, 'it starts');
  return {
    deal,
    running: started.value,
    mine: async () => {
      const held: string[] = [];
      for (const shard of shards) {
        const turn = deal.turn(shard).then((over) => !over.aborted);
        const never = clock.sleep(1).then(() => false);
        if (await Promise.race([turn, never])) held.push(shard);
      }
      return held;
    },
  };
};

const told = (name: string, story: (ground: Ground) => Promise<void>): void =>
  it(name, async () => {
    const ground = clockAndPorts();
    await ground.clock.run(story(ground));
  });

describe('the shards of the manager', () => {
  told('are all read by one that is alone, at once', async (ground) => {
    const one = await replica(ground);
    expect(await one.mine()).toEqual(shards);
    await one.running.stop(0);
  });

  told('are dealt to all that are there, each to one of them', async (ground) => {
    const all = [await replica(ground), await replica(ground), await replica(ground)];
    await ground.clock.sleep(2_000);
    const dealt = await Promise.all(all.map((one) => one.mine()));
    expect(dealt.flat().toSorted()).toEqual(shards.toSorted());
    for (const mine of dealt) expect(mine.length).toBeGreaterThan(0);
    for (const { running } of all) await running.stop(0);
  });

  told('of one that says good-bye are taken over at once, the others stay where they are', async (ground) => {
    const [one, other] = [await replica(ground), await replica(ground)];
    await ground.clock.sleep(2_000);
    const before = await one.mine();
    await other.running.stop(0);
    await ground.clock.sleep(10);
    expect(await one.mine()).toEqual(shards);
    expect(before.length).toBeLessThan(shards.length);
    await one.running.stop(0);
  });

  told('of one that falls silent are taken over after a while, and not before', async (ground) => {
    const one = await replica(ground);
    ground.ports.bus.cast(managerSubject('ffffffffffffffff'), new TextEncoder().encode('alive'));
    await ground.clock.sleep(10);
    const shared = await one.mine();
    expect(shared.length).toBeLessThan(shards.length);
    await ground.clock.sleep(3_000);
    expect(await one.mine()).toEqual(shared);
    await ground.clock.sleep(2_000);
    expect(await one.mine()).toEqual(shards);
    await one.running.stop(0);
  });

  told('are dealt anew to one that is started again after a start that failed', async (ground) => {
    const deal = shardDeal(shards);
    const service = serve('manager', ground.ports, [deal.part]);
    const first = await service.start();
    invariant(first.ok, 'it starts');
    await first.value.stop(0);
    const second = await service.start();
    invariant(second.ok, 'it starts again');
    const turns = await Promise.all(shards.map((shard) => deal.turn(shard)));
    expect(turns.map(({ aborted }) => aborted)).toEqual(shards.map(() => false));
    await second.value.stop(0);
  });

  told('are no longer read, nor waited for, by one whose intake has ended', async (ground) => {
    const one = await replica(ground);
    const over = await one.deal.turn(shards[0] as PoolName); // there are sixteen
    await one.running.stop(0);
    expect(over.aborted).toBe(true);
    expect((await one.deal.turn(shards[1] as PoolName)).aborted).toBe(true); // there are sixteen
  });
});

describe('the owner of a shard', () => {
  it('is the same for everybody, in whatever order they know the names', () => {
    for (const shard of shards) expect(ownerOf(shard, ['a', 'b', 'c'])).toBe(ownerOf(shard, ['c', 'a', 'b']));
  });

  it('changes only where it has to, when one goes', () => {
    for (const shard of shards) {
      const before = ownerOf(shard, ['a', 'b', 'c']);
      if (before !== 'c') expect(ownerOf(shard, ['a', 'b'])).toBe(before);
    }
  });
});
