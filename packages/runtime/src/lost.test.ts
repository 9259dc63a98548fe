import { type BlobRef, fail, fault, type Json } from '@foldmesh/envelope';
import type { Decider, Entity, Lost } from '@foldmesh/ports';
import { describe, expect, it } from 'vitest';
import { load, loadOrLost, readEntry } from './entity-log.ts';
import { runtimeLimits } from './settings.ts';
import { fakeHost } from './testing/fake-host.ts';
import { type FakePorts, fakePorts } from './testing/fake-ports.ts';
import { deliveryOf, job, jobCancel, tenant, trace } from './testing/messages.ts';
import { letterOf, type Toy, toyDecider } from './testing/toy-decider.ts';
import { takeTurn } from './turn.ts';

const entity: Entity = { tenant, job };

const large = 'large'.padEnd(runtimeLimits.entryBytesInline + 1, '.');

/** The toy, with a word that is too large for an entry, and one for what it has lost. */
const losing: Decider<Toy, string> = {
  ...toyDecider,
  decide: (...asked) => toyDecider.decide(...asked).map((word) => (word === 'large' ? large : word)),
  lost: (_, { position, digest }: Lost) => [`lost before ${position}: ${digest.slice(0, 4)}`],
  isLoss: (event) => event.startsWith('lost before '),
};

/** One turn of what is not remembered, on one word. */
const say = async (fake: FakePorts, step: number, word: string, decider: Decider<Toy, string> = losing) => {
  const letter = await letterOf(fake, deliveryOf(jobCancel(step, fake.clock.now(), word), fake.clock));
  return takeTurn(fakeHost(fake), { decider, traceOf: () => trace }, entity, [letter], undefined);
};

/** Blobs that entries refer to, in order: of events, and of states. */
const refsOf = async (fake: FakePorts, of: 'events_ref' | 'state_ref'): Promise<readonly BlobRef[]> => {
  const page = await fake.ports.journal.read(entity, 0, 100);
  return page.ok ? page.value.flatMap((recorded) => readEntry(recorded)[of] ?? []) : [];
};

/** From here on these blobs are not there any more. */
const lose = (fake: FakePorts, refs: readonly BlobRef[]): void => {
  const { get } = fake.ports.blobs;
  Object.assign(fake.ports.blobs, {
    get: (...asked: Parameters<typeof get>) =>
      refs.some(({ digest }) => digest === asked[2])
        ? Promise.resolve(fail(fault('invalid', `no blob ${asked[2]}`)))
        : get(...asked),
  });
};

const wordsOf = async (fake: FakePorts): Promise<Json> => {
  const loaded = await load(fake.ports, losing, entity);
  if (!loaded.ok) throw new Error(loaded.fault.detail);
  return loaded.value.state.words.map((word) => word.slice(0, 24));
};

/** Three words, of which the second is so long that its entry and its state lie in blobs. */
const told = async (): Promise<FakePorts> => {
  const fake = fakePorts();
  for (const [step, word] of ['short', 'large', 'after'].entries()) await say(fake, step, word);
  await fake.clock.pass(runtimeLimits.goneAfterMs);
  return fake;
};

describe('an entity of whose journal a blob is gone', () => {
  it('is folded from its events where that was only a state', async () => {
    const fake = await told();
    const before = await wordsOf(fake);
    lose(fake, await refsOf(fake, 'state_ref'));
    expect(await wordsOf(fake)).toEqual(before);
  });

  it('is lost from there on where those were events, and says which entry names the blob', async () => {
    const fake = await told();
    const refs = await refsOf(fake, 'events_ref');
    lose(fake, [...refs, ...(await refsOf(fake, 'state_ref'))]);
    expect(await load(fake.ports, losing, entity)).toMatchObject({
      ok: false,
      fault: {
        kind: 'invalid',
        source: 'gone',
        detail: expect.stringMatching(/^entry 2 of .*: a value is gone: no blob /),
      },
    });
    expect(await loadOrLost(fake.ports, losing, entity)).toMatchObject({
      value: {
        state: { words: ['short'] },
        seq: 3,
        position: 3,
        lost: { position: 3, digest: refs[0]?.digest },
      },
    });
  });

  it('is waited for while the blob may only be late, or its store is away', async () => {
    const fake = fakePorts();
    await say(fake, 1, 'large');
    const away = fail(fault('unavailable', 'away', { retry_after_ms: 100 }));
    const appends = fake.given('journal.append').length;
    fake.answer('blobs.get', away);
    expect(await say(fake, 2, 'more')).toEqual(away);
    lose(fake, [...(await refsOf(fake, 'events_ref')), ...(await refsOf(fake, 'state_ref'))]);
    expect(await say(fake, 2, 'more')).toMatchObject({
      ok: false,
      fault: { kind: 'unavailable', retry_after_ms: runtimeLimits.lateAgainMs },
    });
    expect(fake.given('journal.append').length).toBe(appends);
  });

  it('owes what its decider says, once, and is read past the loss from then on, by every version', async () => {
    const fake = await told();
    lose(fake, [...(await refsOf(fake, 'events_ref')), ...(await refsOf(fake, 'state_ref'))]);
    expect(await say(fake, 3, 'again')).toMatchObject({
      ok: true,
      value: { events: [expect.stringMatching(/^lost before 3: /), 'again'] },
    });
    const words = ['short', expect.stringMatching(/^lost before 3: /), 'again'];
    expect(await wordsOf(fake)).toEqual(words);
    expect(await say(fake, 4, 'more')).toMatchObject({ ok: true, value: { events: ['more'] } });
    const anew = await load(fake.ports, { ...losing, fold: 2 }, entity);
    expect(anew).toMatchObject({ ok: true, value: { state: { words: [...words, 'more'] }, position: 6 } });
  });

  it('is nothing that a decider decides who has no word for it', async () => {
    const fake = await told();
    lose(fake, [...(await refsOf(fake, 'events_ref')), ...(await refsOf(fake, 'state_ref'))]);
    const appends = fake.given('journal.append').length;
    expect(await say(fake, 3, 'again', toyDecider)).toMatchObject({ ok: false, fault: { source: 'gone' } });
    expect(fake.given('journal.append').length).toBe(appends);
  });
});
