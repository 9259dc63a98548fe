import { type Fault, fail, fault } from '@foldmesh/envelope';
import type { Model } from '@foldmesh/ports';
import type { Call } from '@foldmesh/runtime';
import { callOf, fakeHost, fakePorts, keyAt } from '@foldmesh/runtime/internal';
import { expect, test } from 'vitest';
import { modelChain } from './model-chain.ts';
import type { Asked } from './model-request.ts';

/** Asks a model that fails like this for ever, or never says anything; tells what came of it and how often it was asked. */
const asked = async (said: Fault | undefined, of: Partial<Call> = {}, more: Partial<Asked> = {}) => {
  const fake = fakePorts();
  let requests = 0;
  const model: Model = {
    reply(_, signal) {
      requests += 1;
      return said === undefined
        ? new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve(fail(fault('unavailable', 'aborted'))));
          })
        : Promise.resolve(fail(said));
    },
  };
  const request = { model: 'lab/one', instructions: '', messages: [], tools: [] };
  const question = { key: keyAt(1), request, ...more } as Asked; // how the run began is nothing to it
  const call = callOf({ deadline: fake.clock.now() + 1_000_000, ...of });
  const ended = modelChain(fakeHost(fake), model)(question, call);
  await fake.clock.pass(1_100_000);
  const reply = await ended;
  return { requests, ran: reply.ok ? undefined : reply.ran };
};

const busy = fault('unavailable', 'busy', { retry_after_ms: 0 });
const later = fault('throttled', 'later', { retry_after_ms: 20_000 });
const { now } = fakePorts().clock;

test('C067: what says later is asked three times, and fewer where claims before it have asked', async () => {
  expect(await asked(busy)).toEqual({
    requests: 3,
    ran: { kind: 'failed', fault: busy, made: 'last_try' },
  });
  expect((await asked(busy, { tries: 1 })).requests).toBe(2);
  for (const tries of [2, 3, 7]) expect((await asked(busy, { tries })).requests).toBe(1);
});

test('C068: what never says later is asked once', async () => {
  const no = fault('invalid', '400');
  expect(await asked(no)).toEqual({ requests: 1, ran: { kind: 'failed', fault: no, made: 'last_try' } });
});

/** Not before it was told to, and at most as long again after it. */
const isSpread = (ms: number): boolean => ms >= 20_000 && ms <= 40_000;

test('a long wait goes back as a try, for as long as there are tries and time', async () => {
  const once = (made: string) => ({
    requests: 1,
    ran: { kind: 'failed', fault: { ...later, retry_after_ms: expect.toSatisfy(isSpread) }, made },
  });
  for (const tries of [0, 1]) expect(await asked(later, { tries })).toEqual(once('try'));
  expect(await asked(later, { tries: 2 })).toEqual(once('last_try'));
  expect(await asked(later, {}, { until: now() + 20_000 })).toEqual(once('last_try'));
});

test('C067: a try has five minutes, and none has longer than its job, less what it takes to hear of it', async () => {
  const { requests, ran } = await asked(undefined);
  expect(requests).toBe(3);
  expect(ran).toMatchObject({ made: 'last_try', fault: { detail: 'no answer within 300000 ms' } });
  const until = (ms: number) => asked(undefined, {}, { until: now() + ms });
  expect((await until(60_000)).ran).toMatchObject({ fault: { detail: 'no answer within 58500 ms' } });
  expect((await until(1_000)).ran).toMatchObject({ fault: { detail: 'no answer within 900 ms' } });
});

test('who goes on speaking when its try is over is told to nobody', async () => {
  const fake = fakePorts();
  const model: Model = {
    reply: (_, signal, hear) => {
      hear?.('One.');
      signal.addEventListener('abort', () => hear?.(' Too late.'));
      return new Promise(() => undefined);
    },
  };
  const request = { model: 'lab/one', instructions: '', messages: [], tools: [] };
  const question = { key: keyAt(1), request } as unknown as Asked; // how the run began is nothing to it
  const call = callOf({ deadline: fake.clock.now() + 100_000 });
  const ended = modelChain(fakeHost(fake), model)(question, call);
  await fake.clock.pass(1_100_000);
  expect((await ended).ok).toBe(false);
  const told = fake
    .given('bus.cast')
    .map(([, body]) => JSON.parse(new TextDecoder().decode(body as Uint8Array)).text);
  expect(new Set(told)).toEqual(new Set(['One.']));
});
