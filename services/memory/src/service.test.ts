import { embedded, seededRandom, virtualClock } from '@foldmesh/embedded';
import {
  type Body,
  type Draft,
  decodeJson,
  EnvelopeBody,
  fail,
  fault,
  JobId,
  type Json,
  keyOf,
  type Outcome,
  Outcome as OutcomeSchema,
  type Party,
  PoolName,
  positionOf,
  readHeaders,
  seal,
  TaskId,
  TenantId,
  traceIdFrom,
} from '@foldmesh/envelope';
import type { Memory } from '@foldmesh/ports';
import { describe, expect, it } from 'vitest';
import { type MemoryPorts, memoryService } from './service.ts';

const acme = TenantId.parse('acme');
const umbrella = TenantId.parse('umbrella');
const day = JobId.parse('day');
const night = JobId.parse('night');

interface Where {
  readonly tenant?: TenantId;
  readonly job?: JobId;
  readonly epoch?: number;
  readonly sender?: Party;
  /** Cut off on its way, so that nobody can read it. */
  readonly torn?: boolean;
}

type Ask = <T extends 'memory.write' | 'memory.query'>(
  type: T,
  step: number,
  payload: Body<T>,
  where?: Where,
) => Promise<Outcome>;

interface Bench {
  readonly ports: MemoryPorts;
  /** What the service did to the store. */
  readonly writes: string[];
  /** Sends one request as a waiting skill does, and gives the answer. */
  readonly ask: Ask;
  readonly send: (...given: Parameters<Ask>) => Promise<void>;
}

/** The service over a world of its own; `store` may stand in front of the memory. */
const serving = async (
  test: (bench: Bench) => Promise<void>,
  store: (memory: Memory) => Memory = (memory) => memory,
): Promise<void> => {
  const clock = virtualClock();
  const random = seededRandom(1);
  const stores = embedded({ clock, random });
  const writes: string[] = [];
  const counted: Memory = {
    write: (fact) => {
      writes.push(fact.id);
      return stores.memory.write(fact);
    },
    query: (query) => stores.memory.query(query),
  };
  const ports: MemoryPorts = { ...stores, memory: store(counted), clock, random, log: () => {} };
  const publish = async (
    draft: Draft,
    { epoch = 0, sender = 'worker.default', torn = false }: Where,
  ): Promise<void> => {
    const at = clock.now();
    const { message } = seal(draft, { sender, at, since: at, epoch, trace_id: traceIdFrom('memory') });
    const body = torn ? message.body.subarray(0, 40) : message.body;
    const sent = await ports.bus.publish({ ...message, body });
    if (!sent.ok) throw new Error(sent.fault.detail);
  };
  const draftOf = ([type, step, payload, where = {}]: Parameters<Ask>, reply_to?: string): Draft =>
    ({
      type,
      to: { service: 'memory', pool: PoolName.parse('default') },
      key: keyOf({
        tenant: where.tenant ?? acme,
        job: where.job ?? day,
        task: TaskId.parse('task'),
        round: 1,
        step: String(step),
        call: '0',
      }),
      attempt: 1,
      payload,
      deadline: clock.now() + 60_000,
      reply_to,
    }) as Draft; // the caller ties the payload to the type
  let asked = 0;
  const ask: Ask = async (...given) => {
    const subject = `reply.${asked++}`;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    await using _ear = ports.bus.listen(subject, (body) => resolve(outcomeOf(body)));
    await publish(draftOf(given, subject), given[3] ?? {});
    return await promise;
  };
  const send = (...given: Parameters<Ask>): Promise<void> => publish(draftOf(given), given[3] ?? {});
  await clock.run(
    (async () => {
      const started = await memoryService(ports, { slots: 4 }).start();
      if (!started.ok) throw new Error(started.fault.detail);
      await test({ ports, writes, ask, send });
      await started.value.stop(1_000);
    })(),
  );
};

const outcomeOf = (bytes: Uint8Array): Outcome => {
  const json = decodeJson(bytes);
  const body = EnvelopeBody.parse(json.ok ? json.value : undefined);
  expect(body.type).toBe('memory.settle');
  return OutcomeSchema.parse((body.payload as { readonly outcome: Json }).outcome); // a settle has one
};

const outputOf = (outcome: Outcome): Json => {
  if (outcome.kind !== 'done' || !('value' in outcome.output)) throw new Error(JSON.stringify(outcome));
  return outcome.output.value;
};

const textsIn = (outcome: Outcome): readonly string[] =>
  (outputOf(outcome) as { readonly facts: readonly { readonly text: string }[] }).facts.map(
    ({ text }) => text,
  ); // as memory answers

describe('the memory service', () => {
  it('remembers as the tenant and job of the key, and recalls it whole', () =>
    serving(async ({ ask, ports }) => {
      const written = await ask('memory.write', 1, { text: 'the red door', tags: ['a'], data: { n: [1] } });
      expect(outputOf(written)).toEqual({ id: 'acme/day/task/1/1/0', duplicate: false });
      const found = await ask('memory.query', 2, { text: 'RED', tags: ['a'] });
      const at = expect.any(Number);
      expect(outputOf(found)).toEqual({
        facts: [{ text: 'the red door', tags: ['a'], data: { n: [1] }, job: 'day', at }],
      });
      const bare = await ask('memory.write', 3, { text: 'bare' });
      expect(outputOf(bare)).toMatchObject({ duplicate: false });
      expect(outputOf(await ask('memory.query', 4, { text: 'bare' }))).toEqual({
        facts: [{ text: 'bare', tags: [], job: 'day', at }],
      });
      const kept = await ports.memory.query({ tenant: acme, limit: 10 });
      expect(kept.ok && kept.value.map(({ tenant, job }) => [tenant, job])).toEqual([
        [acme, day],
        [acme, day],
      ]);
    }));

  it('finds what any job of the tenant knows, or this one alone, ten facts unless told otherwise', () =>
    serving(async ({ ask }) => {
      await ask('memory.write', 1, { text: 'by night' }, { job: night });
      for (let step = 2; step < 14; step++) await ask('memory.write', step, { text: `by day ${step}` });
      expect(textsIn(await ask('memory.query', 20, { text: 'by night' }))).toHaveLength(10);
      expect(textsIn(await ask('memory.query', 21, { text: 'by night', limit: 100 }))).toHaveLength(13);
      expect(textsIn(await ask('memory.query', 22, { text: 'night' }))).toEqual(['by night']);
      expect(textsIn(await ask('memory.query', 23, { text: 'night', this_job: true }))).toEqual([]);
    }));

  it('C099: two tenants with one job name, who quote each other, find only their own', () =>
    serving(async ({ ask }) => {
      const canaries = new Map([
        [acme, 'canary-acme *.> ../umbrella/day'],
        [umbrella, 'canary-umbrella %_ ../acme/day'],
      ]);
      const asks = [...canaries.entries()].flatMap(([tenant, text], index) =>
        Array.from({ length: 25 }, async (_, step) => {
          await ask('memory.write', step, { text: `${text} ${step}`, tags: [text] }, { tenant });
          const [own, other] = [text, [...canaries.values()][1 - index] ?? ''];
          for (const [at, query] of [
            { text: other },
            { tags: [other] },
            { text: `${own} ${other}` },
            {},
          ].entries())
            for (const found of textsIn(
              await ask('memory.query', 1_000 + 10 * step + at, { ...query, limit: 100 }, { tenant }),
            ))
              expect(found.startsWith(own)).toBe(true);
        }),
      );
      await Promise.all(asks);
      const all = textsIn(await ask('memory.query', 9_000, { limit: 100 }, { tenant: umbrella }));
      expect(all).toHaveLength(25);
    }));

  it('C100: one write that is sent three times is carried out once, and each copy gets the same answer', () =>
    serving(async ({ ask, writes }) => {
      const answers: Json[] = [];
      for (const epoch of [0, 1, 2])
        answers.push(outputOf(await ask('memory.write', 1, { text: 'once' }, { epoch })));
      expect(answers).toEqual(Array(3).fill({ id: 'acme/day/task/1/1/0', duplicate: false }));
      expect(writes).toHaveLength(1);
      expect(textsIn(await ask('memory.query', 2, {}))).toEqual(['once']);
    }));

  it('does not take another fact for one that is known by its key', () =>
    serving(async ({ ask, ports }) => {
      await ask('memory.write', 1, { text: 'first' });
      const second = await ask('memory.write', 1, { text: 'second' }, { epoch: 1 });
      expect(second).toMatchObject({ kind: 'failed', fault: { kind: 'invalid', source: 'key_reused' } });
      expect(textsIn(await ask('memory.query', 2, {}))).toEqual(['first']);
      const letters = await ports.dead.list(acme, day);
      expect(letters.ok && letters.value.map(({ reason }) => reason)).toEqual([
        expect.stringContaining('first memory.write {"text":"first"}, now memory.write {"text":"second"}'),
      ]);
    }));

  it('answers an agent in the pool that asked', () =>
    serving(async ({ send, ports }) => {
      const pool = PoolName.parse('blue');
      const subscribed = await ports.bus.subscribe({ service: 'worker', pool, lane: 'decide' });
      if (!subscribed.ok) throw new Error(subscribed.fault.detail);
      await send('memory.write', 7, { text: 'seen' }, { sender: 'worker.blue' });
      const [delivery] = await subscribed.value.pull(1, new AbortController().signal);
      const headers = readHeaders(delivery?.headers ?? {});
      expect(headers.ok && [headers.value.type, positionOf(headers.value.key).step]).toEqual([
        'memory.settle',
        '7',
      ]);
      expect(outputOf(outcomeOf(delivery?.body ?? new Uint8Array()))).toMatchObject({ duplicate: false });
    }));

  it('tells whoever waits of a request that nobody can read, and keeps it', () =>
    serving(async ({ ask, ports, writes }) => {
      for (const [step, type] of (['memory.write', 'memory.query'] as const).entries())
        expect(await ask(type, step, { text: 'x' }, { torn: true }), type).toMatchObject({
          kind: 'failed',
          fault: { kind: 'invalid', detail: expect.stringContaining('not JSON') },
        });
      const letters = await ports.dead.list(acme, day);
      expect([writes, letters.ok && letters.value.length]).toEqual([[], 2]);
    }));

  it('says that it is there', () =>
    serving(async ({ ports }) => {
      const listed = await ports.index.list('mesh.v1.catalogue.memory.');
      expect(listed.ok && listed.value).toEqual([
        {
          subject: expect.stringMatching(/^mesh\.v1\.catalogue\.memory\.default\.[0-9a-f]{16}$/),
          value: {
            service: 'memory',
            pool: 'default',
            slots: 4,
            offers: [],
            types: ['memory.write', 'memory.query'],
            reads: expect.objectContaining({ 'memory.write': 1 }),
            at: expect.any(Number),
          },
        },
      ]);
    }));
});

it('says what the store says that will never do it', () =>
  serving(
    async ({ ask }) => {
      expect(await ask('memory.query', 1, {})).toEqual({
        kind: 'failed',
        fault: { kind: 'refused', detail: 'not here' },
      });
    },
    (memory) => ({ ...memory, query: () => Promise.resolve(fail(fault('refused', 'not here'))) }),
  ));

it('refuses a fact that no query could give, before it is stored', () =>
  serving(async ({ ask, writes }) => {
    let deep: Json = 1;
    for (let level = 0; level < 40; level++) deep = [deep];
    for (const [step, data] of [deep, 'x'.repeat(70_000)].entries())
      expect(await ask('memory.write', step, { text: 'large', data })).toMatchObject({
        kind: 'failed',
        fault: { kind: 'overflow' },
      });
    expect(writes).toEqual([]);
    const longest = 'x'.repeat(65_000);
    for (let step = 10; step < 110; step++) await ask('memory.write', step, { text: 'long', data: longest });
    const all = await ask('memory.query', 200, { limit: 100 });
    expect(all).toMatchObject({ kind: 'done', output: { ref: { bytes: expect.any(Number) } } });
  }));
