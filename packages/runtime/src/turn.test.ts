import { fail, fault, ok, type Result } from '@foldmesh/envelope';
import type { Append, Appended, Entity } from '@foldmesh/ports';
import { describe, expect, it } from 'vitest';
import { type Loaded, load } from './entity-log.ts';
import { runtimeLimits } from './settings.ts';
import { fakeHost } from './testing/fake-host.ts';
import { type FakePorts, fakePorts } from './testing/fake-ports.ts';
import { deliveryOf, job, jobCancel, tenant, trace, type Which } from './testing/messages.ts';
import { letterOf, type Toy, toyDecider } from './testing/toy-decider.ts';
import { type Letter, type Turn, takeTurn } from './turn.ts';

const entity: Entity = { tenant, job };
const deciding = { decider: toyDecider, traceOf: () => trace };

const lettersOf = (fake: FakePorts, words: readonly string[], which?: Which): Promise<Letter[]> =>
  Promise.all(
    words.map((word, step) =>
      letterOf(fake, deliveryOf(jobCancel(step, fake.clock.now(), word, which), fake.clock)),
    ),
  );

const turnOf = async (fake: FakePorts, words: readonly string[], which?: Which): Promise<Result<Turn<Toy>>> =>
  takeTurn(fakeHost(fake), deciding, entity, await lettersOf(fake, words, which), undefined);

const stateOf = async (fake: FakePorts): Promise<readonly string[]> => {
  const loaded = await load(fake.ports, toyDecider, entity);
  return loaded.ok ? loaded.value.state.words : [];
};

const asked = (fake: FakePorts): readonly string[] =>
  fake.published.map(({ body }) => JSON.parse(new TextDecoder().decode(body)).payload.input);

const entries = (fake: FakePorts): readonly Append[] =>
  fake.given('journal.append').map(([append]) => append as Append); // as it was given

describe('a turn', () => {
  it('appends all that its envelopes say, and what the state then owes, as one entry', async () => {
    const fake = fakePorts();
    const turn = await turnOf(fake, ['first', 'second']);
    expect(turn).toMatchObject({
      ok: true,
      value: { events: ['first', 'second', 'followed'], parked: [], later: [] },
    });
    expect([await stateOf(fake), entries(fake).length]).toEqual([['first', 'second', 'followed'], 1]);
  });

  it('publishes what became due by it, after the append, under the trace of its entity', async () => {
    const fake = fakePorts();
    await turnOf(fake, ['one', 'two']);
    await turnOf(fake, ['three']);
    expect(asked(fake)).toEqual(['one', 'two', 'three']);
    const [calls] = [fake.calls.map(({ call }) => call)];
    expect(calls?.indexOf('journal.append')).toBeLessThan(calls?.indexOf('bus.publish') ?? 0);
    expect(
      fake.published.every(({ headers }) => headers.epoch === 0 && headers.traceparent?.includes(trace)),
    ).toBe(true);
  });

  it('publishes all that should be in flight where an envelope brings nothing new: the first publish may be lost', async () => {
    const fake = fakePorts();
    await turnOf(fake, ['one', 'two']);
    const repeated = await turnOf(fake, ['one']);
    expect(repeated).toMatchObject({ value: { events: [] } });
    expect([asked(fake), entries(fake).length]).toEqual([['one', 'two', 'one', 'two'], 1]);
    await turnOf(fake, ['two', 'three']);
    expect(asked(fake).slice(4)).toEqual(['one', 'two', 'three']);
  });

  it('gives what it sends the same wire id each time', async () => {
    const fake = fakePorts();
    await turnOf(fake, ['one']);
    await turnOf(fake, ['one']);
    const [first, second] = fake.published.map(({ headers }) => headers.id);
    expect(first).toBe(second);
  });

  it('is not acked for when a publish failed, and sends the rest only where the bus may take it', async () => {
    const fake = fakePorts();
    fake.answer('bus.publish', fail(fault('unavailable', 'away', { retry_after_ms: 100 })));
    const words = Array.from({ length: 2 * runtimeLimits.publishesMax }, (_, n) => `word ${n}`);
    expect(await turnOf(fake, words)).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
    expect(fake.given('bus.publish').length).toBe(runtimeLimits.publishesMax);
    const sent = fake.published.length;
    fake.answer('bus.publish', fail(fault('overflow', 'too large')));
    expect(await turnOf(fake, words)).toMatchObject({ ok: false, fault: { kind: 'overflow' } });
    expect(asked(fake).slice(sent)).toEqual(words.slice(1));
    // One that may be sent later brings the envelopes back soon, whatever else is lost for good.
    fake.answer(
      'bus.publish',
      fail(fault('overflow', 'too large')),
      fail(fault('unavailable', 'away', { retry_after_ms: 1 })),
    );
    expect(await turnOf(fake, words)).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
  });

  it('writes the mark of the dedup store into its entry, or none where it is not known', async () => {
    const fake = fakePorts();
    await turnOf(fake, ['one']);
    fake.answer('inbox.generation', fail(fault('unavailable', 'away')));
    await turnOf(fake, ['two']);
    const marks = entries(fake).map(({ entry }) => JSON.parse(new TextDecoder().decode(entry)).mark);
    expect(marks).toEqual(['mark-1', undefined]);
  });
});

const stores = (kind: 'conflict' | 'unanswered', fake: FakePorts) => async (): Promise<Result<unknown>> => {
  const append = entries(fake).at(-1);
  if (append === undefined) throw new Error('nothing is being appended');
  await fake.ports.journal.append(append);
  return kind === 'conflict'
    ? ok({ kind: 'conflict' } satisfies Appended)
    : fail(fault('unanswered', 'no word'));
};

describe('an append', () => {
  it('that was stored and answered as a conflict, or not at all, is found again and counts once', async () => {
    for (const kind of ['conflict', 'unanswered'] as const) {
      const fake = fakePorts();
      fake.answer('journal.append', stores(kind, fake));
      const turn = await turnOf(fake, ['first', 'second']);
      expect(turn).toMatchObject({ ok: true, value: { events: [] } });
      expect([await stateOf(fake), asked(fake)]).toEqual([
        ['first', 'second', 'followed'],
        ['first', 'second', 'followed'],
      ]);
    }
  });

  it('that met another writer is decided again from what that one wrote', async () => {
    const fake = fakePorts();
    fake.answer('journal.append', async () => {
      await turnOf({ ...fake, answer: () => {} }, ['theirs', 'one']);
      return ok({ kind: 'conflict' } satisfies Appended);
    });
    const turn = await turnOf(fake, ['one', 'two']);
    expect(turn).toMatchObject({ value: { events: ['two'] } });
    expect(await stateOf(fake)).toEqual(['theirs', 'one', 'two']);
  });

  it('that meets nothing but conflicts gives up, to come again', async () => {
    const fake = fakePorts();
    fake.answer('journal.append', ...Array(100).fill(ok({ kind: 'conflict' })));
    expect(await turnOf(fake, ['one'])).toMatchObject({
      ok: false,
      fault: { kind: 'unavailable', retry_after_ms: 0 },
    });
    expect(entries(fake).length).toBe(runtimeLimits.conflictsMax);
  });

  it('that the journal does not take publishes nothing', async () => {
    const fake = fakePorts();
    fake.answer('journal.append', fail(fault('unavailable', 'away')));
    expect(await turnOf(fake, ['one'])).toMatchObject({ ok: false });
    expect(fake.published).toEqual([]);
  });
});

describe('an envelope that breaks the decider', () => {
  const wordsOf = (letters: readonly Letter[]): readonly unknown[] =>
    letters.map(({ envelope }) => (envelope.type === 'job.cancel' ? envelope.payload.reason : ''));

  it('is set aside alone, with the reason, and its neighbours count', async () => {
    const fake = fakePorts();
    const turn = await turnOf(fake, ['one', 'poison', 'two']);
    if (!turn.ok) throw new Error(turn.fault.detail);
    expect(turn.value.parked).toMatchObject([{ reason: expect.stringContaining('M2: poison') }]);
    expect([wordsOf(turn.value.decided), await stateOf(fake)]).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ]);
    const [append] = entries(fake);
    expect(JSON.parse(new TextDecoder().decode(append?.entry)).causes.length).toBe(2);
  });

  it('only after it was folded is found by deciding one alone; the others come again, and none is lost', async () => {
    const fake = fakePorts();
    const turn = await turnOf(fake, ['one', 'sour', 'two']);
    if (!turn.ok) throw new Error(turn.fault.detail);
    expect([wordsOf(turn.value.decided), wordsOf(turn.value.later), turn.value.parked]).toEqual([
      ['one'],
      ['sour', 'two'],
      [],
    ]);
    const next = await turnOf(fake, ['sour']);
    expect(next).toMatchObject({
      value: { parked: [{ reason: expect.stringContaining('M2: sour') }], events: [] },
    });
    expect(await stateOf(fake)).toEqual(['one']);
  });

  it('by itself changes nothing and asks for nothing', async () => {
    const fake = fakePorts();
    const turn = await turnOf(fake, ['poison']);
    expect(turn).toMatchObject({ ok: true, value: { events: [], decided: [], loaded: { seq: 0 } } });
    expect([entries(fake), fake.published]).toEqual([[], []]);
  });
});

describe('the time of a turn', () => {
  const atOf = (fake: FakePorts): readonly number[] =>
    entries(fake).map(({ entry }) => JSON.parse(new TextDecoder().decode(entry)).at);

  it('is that of a sender whose clock is a little ahead, and never that of one which is far off', async () => {
    const fake = fakePorts();
    const now = fake.clock.now();
    const ahead = (word: string, ms: number) =>
      letterOf(fake, deliveryOf(jobCancel(1, now + ms, word), fake.clock));
    await takeTurn(fakeHost(fake), deciding, entity, [await ahead('one', 2_000)], undefined);
    await takeTurn(fakeHost(fake), deciding, entity, [await ahead('two', 3_600_000)], undefined);
    // And it never goes back.
    await takeTurn(fakeHost(fake), deciding, entity, [await ahead('three', -3_600_000)], undefined);
    expect(atOf(fake).map((at) => at - now)).toEqual([
      2_000,
      runtimeLimits.skewMsMax,
      runtimeLimits.skewMsMax,
    ]);
  });
});

describe('what is remembered of an entity', () => {
  const remembered = async (fake: FakePorts, words: readonly string[]) => {
    const turn = await turnOf(fake, words);
    if (!turn.ok) throw new Error(turn.fault.detail);
    return turn.value.loaded;
  };
  const next = async (fake: FakePorts, words: readonly string[], known: Loaded<Toy>) =>
    takeTurn(fakeHost(fake), deciding, entity, await lettersOf(fake, words), known);

  it('is not read again: the append says whether it was the last word', async () => {
    const fake = fakePorts();
    const known = await remembered(fake, ['one']);
    const reads = fake.given('journal.last').length;
    await next(fake, ['two'], known);
    expect([fake.given('journal.last').length, await stateOf(fake)]).toEqual([reads, ['one', 'two']]);
  });

  it('and was not: then the decision is taken anew', async () => {
    const fake = fakePorts();
    const known = await remembered(fake, ['one']);
    await turnOf(fake, ['elsewhere']);
    const turn = await next(fake, ['two'], known);
    expect([turn.ok, await stateOf(fake)]).toEqual([true, ['one', 'elsewhere', 'two']]);
  });

  it('is no proof that an envelope brings nothing new, nor that it cannot be decided', async () => {
    const fake = fakePorts();
    const known = await remembered(fake, ['one']);
    await turnOf(fake, ['elsewhere']);
    const repeated = await next(fake, ['one'], known);
    expect(repeated).toMatchObject({
      value: { events: [], loaded: { state: { words: ['one', 'elsewhere'] } } },
    });
    const reads = fake.given('journal.last').length;
    const broken = await next(fake, ['poison'], await remembered(fake, ['two']));
    expect(broken).toMatchObject({ value: { parked: [{}] } });
    expect(fake.given('journal.last').length).toBeGreaterThan(reads + 1);
  });
});
