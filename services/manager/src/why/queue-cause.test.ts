import type { Cause } from '@foldmesh/client';
import { fail, fault, type Json, ok, PoolName, type Result, sha256Hex } from '@foldmesh/envelope';
import type { Standing } from '@foldmesh/ports';
import { fakePorts } from '@foldmesh/runtime/internal';
import { describe, expect, it } from 'vitest';
import type { Look } from './look.ts';
import { poolsIn } from './pools.ts';
import { type Queued, queueCause } from './queue-cause.ts';

const now = 1_000_000;
const pool = PoolName.parse('default');

const worker = (at: number, more: object = {}): Json => ({
  service: 'worker',
  pool,
  slots: 8,
  at,
  offers: [{ kind: 'skill', name: 'work', digest: sha256Hex('work') }],
  ...more,
});

const queued: Queued = {
  queue: { service: 'worker', pool, lane: 'call' },
  type: 'task.assign',
  what: 'task a',
  task: 'a',
  since: now - 40_000,
  until: now + 500_000,
  needs: ['skill:work'],
};

interface Scene {
  readonly standing?: Partial<Standing> | Result<Standing>;
  readonly offers?: readonly Json[];
  readonly away?: Look['away'];
  readonly asked?: Partial<Queued>;
}

const idle: Standing = { waiting: 0, in_hand: 0, pulls: 1, place: 'MESH_WORK worker_default_call' };

const causeOf = ({ standing = {}, offers = [worker(now)], away = [], asked = {} }: Scene): Promise<Cause> =>
  queueCause(
    {
      ports: fakePorts().ports,
      now,
      away,
      filled: undefined,
      pools: poolsIn(offers, now),
      standing: async () => ('ok' in standing ? standing : ok({ ...idle, ...standing })),
    },
    { ...queued, ...asked },
  );

describe('what lies in a queue', () => {
  it('with a reader that is free is about to be taken, or was handed back', async () => {
    const cause = await causeOf({ standing: { in_hand: 1 } });
    expect(cause).toMatchObject({ reason: 'call', on: 'worker.default', until: now + 500_000 });
    expect(cause.text).toBe(
      'task a is with worker.default, asked 40 s ago, and nobody says to hold it: it is about to be taken, or was handed back and comes again within 75 s',
    );
    const late = await causeOf({ standing: { in_hand: 1 }, asked: { until: now + 9_000 } });
    expect(late.text).toMatch(/; it is given up in 9 s$/);
  });

  it('and no more comes again with the next epoch, where its answer is not on the way', async () => {
    const cause = await causeOf({});
    expect(cause).toMatchObject({ reason: 'call', until: now + 20_000 });
    expect(cause.text).toContain('the sweep sends it again in 20 s');
  });

  it('waits for a free slot where nobody asks for more', async () => {
    const cause = await causeOf({ standing: { pulls: 0, in_hand: 8, waiting: 3 } });
    expect(cause).toMatchObject({
      reason: 'no_slot',
      next: expect.stringContaining('FOLDMESH_WORKER_SLOTS'),
    });
    expect(cause.text).toContain(
      '8 in hand and 3 waiting, at most 2 of them before it; one process there has 8 slots',
    );
  });

  it('is not said to wait for a slot where the dedup store is away, or nothing is in hand', async () => {
    const standing = { pulls: 0, in_hand: 0, waiting: 1 };
    const away = [{ store: 'inbox', fault: fault('unavailable', 'gone') }] as const;
    const unclaimed = await causeOf({ standing, away });
    expect(unclaimed).toMatchObject({ reason: 'call', on: 'worker.default' });
    expect(unclaimed.next).toBeUndefined();
    expect(unclaimed.text).toContain('which begins nothing while the dedup store is away: 1 message there');
    expect(await causeOf({ standing: { ...standing, in_hand: 8 }, away })).toMatchObject({
      reason: 'call',
    });
    const idle = await causeOf({ standing });
    expect(idle).toMatchObject({ reason: 'no_worker', next: expect.stringContaining('/readyz') });
    expect(idle.text).toContain('take nothing on at the moment: 1 message waiting there, none in hand');
  });

  it('waits for no claim in the lane of those who claim nothing', async () => {
    const away = [{ store: 'inbox', fault: fault('unavailable', 'gone') }] as const;
    const asked = { queue: { ...queued.queue, lane: 'decide' } } as const;
    expect(await causeOf({ standing: { waiting: 1 }, away, asked })).toMatchObject({ reason: 'call' });
  });

  it('crawls where some process of the pool lacks what it needs', async () => {
    const bare = worker(now, { offers: [] });
    const cause = await causeOf({ standing: { in_hand: 1 }, offers: [worker(now), bare] });
    expect(cause).toMatchObject({ reason: 'call', next: expect.stringContaining('the same folders') });
    expect(cause.text).toContain('some process there lacks skill work: it hands back what it gets of it');
    const busy = { pulls: 0, in_hand: 8, waiting: 1 };
    expect(await causeOf({ standing: busy, offers: [worker(now), bare] })).toMatchObject({
      reason: 'no_slot',
    });
    const gone = worker(now - 60_000, { offers: [] });
    expect((await causeOf({ standing: { in_hand: 1 }, offers: [worker(now), gone] })).text).toContain(
      'nobody says to hold it',
    );
  });

  it('is read by whoever pulls, whatever the offers say', async () => {
    expect(await causeOf({ standing: { waiting: 1 }, offers: [] })).toMatchObject({ reason: 'call' });
    expect(await causeOf({ standing: { waiting: 1, pulls: 0 }, offers: [] })).toMatchObject({
      reason: 'no_worker',
      text: expect.stringContaining('it was never heard of; 1 message left there; it needs skill work'),
    });
  });

  it('is not said to lack readers where the index that knows them is away', async () => {
    const away = [{ store: 'index', fault: fault('unavailable', 'gone') }] as const;
    const cause = await causeOf({ standing: { waiting: 1, pulls: 0 }, offers: [], away });
    expect(cause.reason).not.toBe('no_worker');
  });

  it('of a paused consumer, a closed stream and a dead pool is told by the first', async () => {
    const offers = [worker(now - 60_000)];
    const standing = { waiting: 1, pulls: 0, closed: 'MESH_WORK is full: it holds 9 messages' };
    const paused = await causeOf({ standing: { ...standing, paused_until: now + 60_000 }, offers });
    expect(paused).toMatchObject({ reason: 'paused', until: now + 60_000, on: idle.place });
    const closed = await causeOf({ standing: { ...standing, paused_until: now }, offers });
    expect(closed).toMatchObject({ reason: 'storage', next: 'nats stream info MESH_WORK' });
    expect(closed.text).toContain('MESH_WORK is full: it holds 9 messages');
    const { closed: _, ...open } = standing;
    expect(await causeOf({ standing: open, offers })).toMatchObject({ reason: 'no_worker' });
  });

  it('waits for a newer build where nobody reads its version', async () => {
    const cause = await causeOf({ offers: [worker(now, { reads: { 'tool.call': 1 } })] });
    expect(cause).toMatchObject({ reason: 'build', next: 'finish the rollout of worker.default' });
    // One of a newer build is enough, and who does not say it reads the first version.
    const rollout = [worker(now, { reads: {} }), worker(now)];
    expect(await causeOf({ offers: rollout })).toMatchObject({ reason: 'call' });
  });

  it('says that the bus does not say', async () => {
    const cause = await causeOf({ standing: fail(fault('unanswered', 'nats-bus did not answer')) });
    expect(cause).toMatchObject({ reason: 'storage', on: 'bus', next: 'foldmesh doctor' });
    expect(cause.text).toContain('nats-bus did not answer');
  });
});
