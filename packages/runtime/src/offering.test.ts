import { catalogueRoot, PoolName } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { currentOffers, offering } from './offering.ts';
import { fakeHost } from './testing/fake-host.ts';
import { fakePorts } from './testing/fake-ports.ts';

const pool = PoolName.parse('default');
const said = (of: string, name: string, at: number) => ({ service: 'worker', pool: of, name, at });
const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);

describe('what a pool offers', () => {
  it('is said at once and again and again, until intake ends', async () => {
    const fake = fakePorts();
    const host = fakeHost(fake);
    await offering(host, 'worker', pool, { service: 'worker', pool, offers: [] });
    const told = async () => {
      const listed = await fake.ports.index.list(catalogueRoot);
      return listed.ok ? listed.value.map(({ value }) => (value as { at: number }).at) : [];
    };
    const [first = 0] = await told();
    await fake.clock.pass(10_000);
    expect(await told()).toEqual([first + 10_000]);
    host.stopIntake();
    await fake.clock.pass(10_000);
    expect(await told()).toEqual([first + 10_000]);
    expect(fake.clock.sleepers()).toBe(0);
  });

  it('names the version of each type that this build reads', async () => {
    const fake = fakePorts();
    await offering(fakeHost(fake), 'worker', pool, { service: 'worker', pool, offers: [] });
    const listed = await fake.ports.index.list(catalogueRoot);
    expect(listed.ok && listed.value[0]?.value).toMatchObject({
      reads: { 'task.assign': 1, 'tool.call': 1 },
    });
  });

  it('that differs has a subject of its own, and what is equal has one', async () => {
    const fake = fakePorts();
    for (const slots of [1, 2, 1])
      await offering(fakeHost(fake), 'worker', pool, { service: 'worker', pool, slots, offers: [] });
    const listed = await fake.ports.index.list(catalogueRoot);
    expect(listed.ok && listed.value.length).toBe(2);
  });
});

describe('what counts of it', () => {
  it('is what both builds of a rollout say, the newest first', () => {
    expect(names(currentOffers([said('a', 'old', 95_000), said('a', 'new', 100_000)]))).toEqual([
      'new',
      'old',
    ]);
  });

  it('is no longer what a build said that has gone', () => {
    expect(names(currentOffers([said('a', 'old', 70_000), said('a', 'new', 100_000)]))).toEqual(['new']);
  });

  it('is the last word of a pool that is away, whatever others have said since', () => {
    expect(names(currentOffers([said('a', 'away', 1_000), said('b', 'here', 100_000)]))).toEqual([
      'here',
      'away',
    ]);
  });
});
