import {
  fail,
  fault,
  indexSubject,
  type Json,
  jobTask,
  keyOf,
  limits,
  type Queue,
  type Sealed,
  sha256Hex,
  shardOf,
} from '@foldmesh/envelope';
import { spec, task } from '@foldmesh/job/internal';
import {
  deliveryOf,
  type FakePorts,
  fakePorts,
  job,
  sealed,
  tenant,
  trace,
} from '@foldmesh/runtime/internal';
import { describe, expect, it } from 'vitest';
import { managerService } from './service.ts';

const address = { service: 'manager', pool: shardOf(job) } as const;
const submits: Queue = { ...address, lane: 'submit' };
const decides: Queue = { ...address, lane: 'decide' };
const away = fail(fault('unavailable', 'away'));

const offers: Json = {
  service: 'worker',
  pool: 'default',
  slots: 4,
  offers: [{ kind: 'skill', name: 'work.a', digest: sha256Hex('a') }],
};

/** Starts a manager on these stores. */
const manager = async (fake: FakePorts) => {
  await fake.ports.index.put('mesh.v1.catalogue.worker.default', offers);
  const started = await managerService(fake.ports).start();
  if (!started.ok) throw new Error(started.fault.detail);
  return {
    async stop() {
      const stopped = started.value.stop(1_000);
      await fake.clock.pass(2_000);
      await stopped;
      expect(fake.clock.sleepers()).toBe(0);
    },
  };
};

const submit = async (fake: FakePorts, plan: Json): Promise<void> => {
  const key = keyOf({ tenant, job, task: jobTask, round: 1, step: '0', call: 'c-1' });
  const message = sealed(
    { type: 'job.submit', to: address, key, attempt: 1, payload: { spec: plan } },
    fake.clock.now(),
  );
  const delivery = deliveryOf(message, fake.clock);
  fake.feed(submits, delivery);
  await fake.clock.pass(10);
  expect(delivery.said).toEqual(['ack']);
};

const sent = (fake: FakePorts, type: string): readonly Sealed[] =>
  fake.published.filter(({ headers }) => headers.type === type);
const epochs = (fake: FakePorts, type: string): readonly number[] =>
  sent(fake, type).map(({ headers }) => headers.epoch);

/** What was published is delivered to the manager itself. */
const deliver = async (fake: FakePorts, message: Sealed | undefined): Promise<void> => {
  if (message === undefined) throw new Error('nothing was sent');
  fake.feed(decides, deliveryOf(message, fake.clock));
  await fake.clock.pass(10);
};

const long = spec([task('a')], { budget: { wall_ms: 3_600_000 } });

describe('what is outstanding', () => {
  it('is sent again once in every epoch, under that epoch, as what it was', async () => {
    const fake = fakePorts();
    const { stop } = await manager(fake);
    await submit(fake, long);
    await fake.clock.pass(limits.epochMs - 20);
    expect(epochs(fake, 'task.assign')).toEqual([0]);
    await fake.clock.pass(95_000);
    await stop();
    expect(epochs(fake, 'task.assign')).toEqual([0, 1, 2, 3, 4]);
    const [first, ...again] = sent(fake, 'task.assign');
    for (const { headers, subject } of again) {
      expect([headers.key, headers.since, headers.print, subject]).toEqual([
        first?.headers.key,
        first?.headers.since,
        first?.headers.print,
        first?.subject,
      ]);
      expect(headers.traceparent).toContain(trace);
    }
  });

  it('is found in the index by a manager that was started anew, and not sent again merely for that', async () => {
    const fake = fakePorts();
    const first = await manager(fake);
    await submit(fake, long);
    await first.stop();
    const second = await manager(fake);
    await fake.clock.pass(10_000);
    expect(epochs(fake, 'task.assign')).toEqual([0]);
    await fake.clock.pass(25_000);
    await second.stop();
    expect(epochs(fake, 'task.assign')).toEqual([0, 1]);
  });

  it('is nothing once the job has ended', async () => {
    const fake = fakePorts();
    const { stop } = await manager(fake);
    await submit(fake, spec([]));
    await fake.clock.pass(100_000);
    await stop();
    expect(fake.published).toEqual([]);
  });

  it('of one job is swept although another cannot be read', async () => {
    const fake = fakePorts();
    const { stop } = await manager(fake);
    await submit(fake, long);
    const broken = { status: 'running', name: 'x', ended: false, position: 3, asked_at: 1, trace_id: trace };
    await fake.ports.index.put(indexSubject({ tenant, job: 'j-broken' as typeof job }), broken); // a token
    fake.answer('journal.last', async () => {
      throw new Error('M8: unreadable');
    });
    await fake.clock.pass(60_000);
    await stop();
    expect(epochs(fake, 'task.assign').length).toBeGreaterThan(1);
    expect(fake.lines.some((line) => line.startsWith('error a job cannot be read'))).toBe(true);
  });

  it('is swept when the index can be read again', async () => {
    const fake = fakePorts();
    const { stop } = await manager(fake);
    await submit(fake, long);
    fake.answer('index.list', ...Array(200).fill(away));
    await fake.clock.pass(limits.epochMs + 5_000);
    const before = epochs(fake, 'task.assign');
    await fake.clock.pass(600_000);
    await stop();
    expect([before, epochs(fake, 'task.assign').length > 1]).toEqual([[0], true]);
  });
});

describe('a timer', () => {
  it('is fired when it is due, and not before; a lost one again at the next sweep, under the same wire id', async () => {
    const fake = fakePorts();
    const { stop } = await manager(fake);
    await submit(fake, spec([task('a')], { budget: { wall_ms: 20_500 } }));
    await fake.clock.pass(20_480);
    expect(sent(fake, 'timer.fire')).toEqual([]);
    await fake.clock.pass(20);
    expect(sent(fake, 'timer.fire').length).toBe(1);
    await fake.clock.pass(10_000);
    await stop();
    const ids = sent(fake, 'timer.fire').map(({ headers }) => headers.id);
    expect([ids.length > 1, new Set(ids).size]).toEqual([true, 1]);
  });

  it('that has done its work is over, and the next one is that of the new state', async () => {
    const fake = fakePorts();
    const { stop } = await manager(fake);
    await submit(fake, spec([task('a')], { budget: { wall_ms: 22_000 } }));
    await fake.clock.pass(22_000);
    await deliver(fake, sent(fake, 'timer.fire')[0]);
    // The deadline has passed: the job stops, and has five seconds for last words.
    expect(sent(fake, 'job.halt').length).toBe(1);
    await fake.clock.pass(4_000);
    expect(sent(fake, 'timer.fire').length).toBe(1);
    await fake.clock.pass(1_100);
    const last = sent(fake, 'timer.fire').at(-1);
    expect(last?.headers.key).not.toBe(sent(fake, 'timer.fire')[0]?.headers.key);
    await deliver(fake, last);
    const fired = sent(fake, 'timer.fire').length;
    await fake.clock.pass(60_000);
    await stop();
    expect(sent(fake, 'timer.fire').length).toBe(fired);
  });

  it('of a job that another replica has decided is learnt from the index', async () => {
    const fake = fakePorts();
    const { stop } = await manager(fake);
    const at = fake.clock.now();
    const indexed = {
      status: 'running',
      name: 'x',
      ended: false,
      position: 9,
      wake_at: at + 12_000,
      trace_id: trace,
    };
    await fake.ports.index.put(indexSubject({ tenant, job }), indexed);
    await fake.clock.pass(12_000);
    await stop();
    expect(sent(fake, 'timer.fire').map(({ headers }) => headers.key)).toEqual([
      keyOf({ tenant, job, task: jobTask, round: 1, step: '9', call: 'wake' }),
    ]);
  });

  it('is not taken from an index that lags behind what this replica has decided itself', async () => {
    const fake = fakePorts();
    const { stop } = await manager(fake);
    await submit(fake, long);
    const stale = {
      status: 'queued',
      name: 'x',
      ended: false,
      position: 1,
      wake_at: fake.clock.now(),
      trace_id: trace,
    };
    await fake.ports.index.put(indexSubject({ tenant, job }), stale);
    await fake.clock.pass(12_000);
    await stop();
    expect(sent(fake, 'timer.fire')).toEqual([]);
  });
});

describe('what a manager tells the index', () => {
  it('is told before the envelope is acked: without it a job would be forgotten with the process', async () => {
    const fake = fakePorts();
    const { stop } = await manager(fake);
    fake.answer('index.put', away);
    const key = keyOf({ tenant, job, task: jobTask, round: 1, step: '0', call: 'c-1' });
    const message = sealed(
      { type: 'job.submit', to: address, key, attempt: 1, payload: { spec: long } },
      fake.clock.now(),
    );
    const [first, second] = [deliveryOf(message, fake.clock), deliveryOf(message, fake.clock)];
    fake.feed(submits, first);
    await fake.clock.pass(10);
    expect(first.said).toEqual(['nak 2000']);
    fake.feed(submits, second);
    await fake.clock.pass(10);
    await stop();
    expect(second.said).toEqual(['ack']);
    const told = await fake.ports.index.list(indexSubject({ tenant, job }));
    expect(told).toMatchObject({ value: [{ value: { status: 'running', ended: false } }] });
  });

  it('is told again when an older word of another replica came after the last one', async () => {
    const fake = fakePorts();
    const { stop } = await manager(fake);
    await submit(fake, long);
    const before = await fake.ports.index.list(indexSubject({ tenant, job }));
    const cancelled = sealed(
      {
        type: 'job.cancel',
        to: address,
        key: keyOf({ tenant, job, task: jobTask, round: 1, step: '0', call: 'c-2' }),
        attempt: 1,
        payload: {},
      },
      fake.clock.now(),
    );
    await deliver(fake, cancelled);
    await fake.clock.pass(6_000);
    await deliver(fake, sent(fake, 'timer.fire').at(-1));
    const [older] = before.ok ? before.value : [];
    await fake.ports.index.put(indexSubject({ tenant, job }), older?.value ?? {});
    await fake.clock.pass(2 * limits.epochMs);
    const after = await fake.ports.index.list(indexSubject({ tenant, job }));
    expect(after).toMatchObject({ value: [{ value: { status: 'cancelled', ended: true } }] });
    await stop();
  });

  it('is nothing of a job that nobody has submitted', async () => {
    const fake = fakePorts();
    const { stop } = await manager(fake);
    const key = keyOf({ tenant, job, task: jobTask, round: 1, step: '0', call: 'c-2' });
    const cancel = deliveryOf(
      sealed({ type: 'job.cancel', to: address, key, attempt: 1, payload: {} }, fake.clock.now()),
      fake.clock,
    );
    fake.feed(decides, cancel);
    await fake.clock.pass(10);
    await stop();
    expect([cancel.said, await fake.ports.index.list(indexSubject({ tenant, job }))]).toEqual([
      ['ack'],
      { ok: true, value: [] },
    ]);
  });
});

it('a manager that cannot read the catalogue does not start: it would refuse whatever it is asked', async () => {
  const fake = fakePorts();
  fake.answer('index.list', away);
  expect(await managerService(fake.ports).start()).toEqual(away);
  expect(fake.given('bus.subscribe')).toEqual([]);
});
