import {
  encodeJson,
  fail,
  fault,
  fingerprint,
  type Json,
  type Key,
  limits,
  type Outcome,
  ok,
  type Sealed,
} from '@foldmesh/envelope';
import { blobValues, type Call, cast } from '@foldmesh/runtime';
import { callOf, fakeHost, fakePorts, job, keyAt, pool, tenant, trace } from '@foldmesh/runtime/internal';
import { describe, expect, it } from 'vitest';
import { toolCaller } from './tool-caller.ts';

const since = 1_800_000_000_000;

const bench = () => {
  const fake = fakePorts();
  const host = fakeHost(fake);
  const tools = toolCaller(host, blobValues(fake.ports.blobs), () => pool);
  const call = (of: Partial<Call> = {}, key: Key = keyAt('2-0-1')) =>
    tools.call(
      key,
      { type: 'tool.call', payload: { tool: 'test.tool', input: { n: 1 } } },
      callOf({ since, deadline: since + 600_000, ...of }),
    );
  /** The gateway's answer to one of its calls. */
  const answer = async (outcome: Outcome, key: Key = keyAt('2-0-1')): Promise<void> => {
    const draft = {
      type: 'tool.settle',
      to: { service: 'worker', pool },
      key,
      attempt: 1,
      payload: { outcome },
    } as const;
    const sender = 'tool-gateway.default' as const;
    const before = fake.given('bus.cast').length;
    await cast(fake.ports, 'here', draft, { sender, at: since, since, epoch: 0, trace_id: trace });
    const body = fake.given('bus.cast')[before]?.[1];
    fake.say('here', body as Uint8Array); // as it was cast
    await fake.clock.pass(0);
  };
  return {
    fake,
    host,
    tools,
    call,
    answer,
    epochs: () => fake.published.map(({ headers }) => headers.epoch),
  };
};

const done = (output: Json): Outcome => ({ kind: 'done', output: { value: output } });
const bodyOf = (message: Sealed | undefined): Record<string, Json> =>
  JSON.parse(new TextDecoder().decode(message?.body));

describe('a tool call', () => {
  it('is sent once under its key, with a deadline and where to answer, and waits for that', async () => {
    const { fake, call, answer } = bench();
    const called = call({ attempt: 3, deadline: since + 5_000 });
    await fake.clock.pass(1_000);
    expect(fake.published.length).toBe(1);
    expect(fake.published[0]).toMatchObject({
      queue: { service: 'tool-gateway', lane: 'call' },
      headers: { key: keyAt('2-0-1'), attempt: 3, epoch: 0, since, deadline: since + 5_000 },
    });
    expect(bodyOf(fake.published[0])).toMatchObject({
      payload: { tool: 'test.tool', input: { n: 1 } },
      reply_to: expect.stringMatching(/^mesh\.v1\.reply\./),
    });
    await answer(done('here'));
    expect(await called).toEqual({ kind: 'done', output: 'here' });
    await fake.clock.pass(60_000);
    expect([fake.published.length, fake.clock.sleepers()]).toEqual([1, 0]);
  });

  it('never has longer than a request has', async () => {
    const { fake, call, answer } = bench();
    const called = call({ deadline: since + 24 * 3_600_000 });
    await fake.clock.pass(0);
    expect(fake.published[0]?.headers.deadline).toBe(since + limits.requestMs);
    await answer(done(1));
    await called;
  });

  it('whose answer got lost is sent again in every epoch, until it is answered', async () => {
    const { fake, call, answer, epochs } = bench();
    const called = call();
    await fake.clock.pass(95_000);
    expect(epochs()).toEqual([0, 1, 2, 3]);
    expect(new Set(fake.published.map(({ headers }) => headers.id)).size).toBe(4);
    await answer(done('at last'));
    expect(await called).toMatchObject({ output: 'at last' });
  });

  it('of a run that is not the first goes under a later epoch: it is not the send of the one that died', async () => {
    for (const [of, epoch] of [
      [{ again: true }, 1],
      [{ again: true, strikes: 1 }, 1],
      [{ again: true, strikes: 3 }, 3],
    ] as const) {
      const { fake, call, answer, epochs } = bench();
      const called = call(of);
      await fake.clock.pass(0);
      expect(epochs()).toEqual([epoch]);
      await answer(done(1));
      await called;
    }
  });

  it('of a re-run that the first run’s copy answers to somebody else is heard of from the store, in a heartbeat', async () => {
    const { fake, host, call } = bench();
    const beatMs = Math.floor(host.settings.ackWaitMs / 3);
    const print = fingerprint('tool.call', { tool: 'test.tool', input: { n: 1 } });
    const looks = (value: object | undefined) => fake.answer('inbox.peek', ok(value));
    looks(undefined);
    looks({ print, label: 'still at it' });
    looks({ print: fingerprint('tool.call', 'another'), label: 'x', stored: { outcome: done('not ours') } });
    looks({ print, label: 'cut', stored: { outcome: { kind: 'cancelled' } } });
    looks({ print, label: 'done', stored: { outcome: done('there') } });
    const called = call({ again: true });
    await fake.clock.pass(5 * beatMs);
    expect(await called).toEqual({ kind: 'done', output: 'there' });
    expect(fake.given('inbox.peek').length).toBe(5);
    expect(fake.clock.sleepers()).toBe(0);
  });

  it('whose answer got lost on the way is heard of from the store, long before the next epoch', async () => {
    const { fake, host, call, epochs } = bench();
    const print = fingerprint('tool.call', { tool: 'test.tool', input: { n: 1 } });
    fake.answer('inbox.peek', ok({ print, label: 'done', stored: { outcome: done('there') } }));
    const called = call();
    await fake.clock.pass(Math.floor(host.settings.ackWaitMs / 3));
    expect(await called).toEqual({ kind: 'done', output: 'there' });
    expect(epochs()).toEqual([0]);
  });

  it('that the bus did not take is sent again soon; one it can never take fails', async () => {
    const { fake, call, answer, epochs } = bench();
    fake.answer('bus.publish', fail(fault('unavailable', 'away', { retry_after_ms: 100 })));
    const called = call();
    await fake.clock.pass(300);
    expect(epochs()).toEqual([0]);
    await answer(done(1));
    await called;
    const never = fail(fault('overflow', 'too large'));
    fake.answer('bus.publish', never);
    expect(await call()).toEqual({ kind: 'failed', fault: never.fault });
  });

  it('that may have been stored is not sent twice in one epoch', async () => {
    const { fake, call, answer } = bench();
    fake.answer('bus.publish', fail(fault('unanswered', 'no word', { retry_after_ms: 100 })));
    const called = call();
    await fake.clock.pass(5_000);
    expect(fake.given('bus.publish').length).toBe(1);
    await answer(done(1));
    await called;
  });

  it('has no answer at its deadline, or when it is told to stop; and then nothing goes on', async () => {
    const { fake, call } = bench();
    const late = call({ deadline: since + 40_000 });
    await fake.clock.pass(40_000);
    expect(await late).toMatchObject({
      kind: 'failed',
      fault: { kind: 'unanswered', detail: 'no answer before the deadline' },
    });
    const stop = new AbortController();
    const stopped = call({ signal: stop.signal });
    await fake.clock.pass(10);
    stop.abort('cancelled');
    expect(await stopped).toMatchObject({ fault: { detail: 'the caller was stopped' } });
    await fake.clock.pass(60_000);
    expect(fake.clock.sleepers()).toBe(0);
  });
});

describe('an answer', () => {
  it('is every kind of outcome', async () => {
    const outcomes: readonly Outcome[] = [
      { kind: 'failed', fault: fault('refused', 'no') },
      { kind: 'unknown', open: { call: 'c', detail: 'd' } },
      { kind: 'cancelled' },
    ];
    for (const outcome of outcomes) {
      const { fake, call, answer } = bench();
      const called = call();
      await fake.clock.pass(0);
      await answer(outcome);
      expect(await called).toEqual(outcome);
    }
  });

  it('is fetched from where it lies, and is no answer while nobody knows what lies there', async () => {
    const { fake, call, answer } = bench();
    const put = await fake.ports.blobs.put(tenant, job, encodeJson('large'));
    if (!put.ok) throw new Error('not stored');
    const outcome: Outcome = { kind: 'done', output: { ref: put.value } };
    const first = call();
    await fake.clock.pass(0);
    fake.answer('blobs.get', fail(fault('unavailable', 'away', { retry_after_ms: 100 })));
    await answer(outcome);
    expect(await first).toMatchObject({
      kind: 'failed',
      fault: { kind: 'unavailable', retry_after_ms: 3_000 },
    });
    const second = call();
    await fake.clock.pass(0);
    await answer(outcome);
    expect(await second).toEqual({ kind: 'done', output: 'large' });
  });

  it('goes to the call that waits for it, to all of one key, and to no other', async () => {
    const { fake, call, answer } = bench();
    const settled: string[] = [];
    const named = (name: string, key: Key) =>
      call({}, key).then((answered) => settled.push(`${name} ${answered.kind}`));
    const calls = [named('a', keyAt('1')), named('b', keyAt('2')), named('b too', keyAt('2'))];
    await fake.clock.pass(0);
    await answer(done(1), keyAt('3'));
    await answer(done(1), keyAt('2'));
    expect(settled.toSorted()).toEqual(['b done', 'b too done']);
    await answer(done(1), keyAt('1'));
    await Promise.all(calls);
    expect(settled.length).toBe(3);
  });

  it('still comes to a call whose earlier run is being given up meanwhile', async () => {
    const { fake, call, answer } = bench();
    const stop = new AbortController();
    const first = call({ signal: stop.signal });
    const second = call();
    await fake.clock.pass(0);
    stop.abort('lost');
    await first;
    await answer(done('mine'));
    expect(await second).toEqual({ kind: 'done', output: 'mine' });
  });

  it('that cannot be read, or is none, is let pass', async () => {
    const { fake, host, call, answer } = bench();
    const called = call();
    await fake.clock.pass(0);
    for (const body of [new Uint8Array([1]), encodeJson({}), fake.published[0]?.body ?? new Uint8Array()])
      fake.say('here', body);
    await fake.clock.pass(10);
    await answer(done(1));
    expect(await called).toMatchObject({ kind: 'done' });
    expect(host.nursery.size()).toBe(0);
  });
});

it('a caller that is closed hears nothing more', async () => {
  const { fake, tools } = bench();
  expect(fake.listeners()).toBe(1);
  await tools[Symbol.asyncDispose]();
  expect(fake.listeners()).toBe(0);
});
