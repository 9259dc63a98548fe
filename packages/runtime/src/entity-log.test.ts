import { encodeJson, fail, fault, type Json, type WireId } from '@foldmesh/envelope';
import type { Entity } from '@foldmesh/ports';
import { describe, expect, it } from 'vitest';
import { type Fold, type Loaded, load, readEntry } from './entity-log.ts';
import { runtimeLimits } from './settings.ts';
import { type FakePorts, fakePorts } from './testing/fake-ports.ts';
import { job, tenant } from './testing/messages.ts';
import { writeEntry } from './write-entry.ts';

interface Words {
  readonly words: string[];
}

const foldOf = (version = 1): Fold<Words, string> => ({
  fold: version,
  read: (stored) => stored as string,
  initial: () => ({ words: [] }),
  evolve(state, event) {
    state.words.push(event);
    return state;
  },
});

const entity: Entity = { tenant, job };
const cause = (n: number): WireId => n.toString(16).padStart(32, '0') as WireId; // 32 hex digits

const got = <T>(result: { ok: true; value: T } | { ok: false }): T => {
  if (!result.ok) throw new Error('it failed');
  return result.value;
};

/** Appends one entry of these words to what is known. */
const say = async (
  fake: FakePorts,
  before: Loaded<Words>,
  words: readonly string[],
  fold = foldOf(),
): Promise<Loaded<Words>> => {
  let { state } = before;
  for (const word of words) state = fold.evolve(state, word);
  const writing = {
    entity,
    before,
    state,
    fold: fold.fold,
    events: words,
    at: fake.clock.now(),
    mark: 'mark-1',
  };
  const { append, after } = got(await writeEntry(fake.ports, { ...writing, causes: [cause(before.seq)] }));
  const stored = got(await fake.ports.journal.append(append));
  if (stored.kind !== 'stored') throw new Error('a conflict');
  return after(stored.seq);
};

const loaded = async (fake: FakePorts, fold = foldOf()): Promise<Loaded<Words>> =>
  got(await load(fake.ports, fold, entity));

const lastEntry = async (fake: FakePorts) => {
  const last = got(await fake.ports.journal.last(entity));
  if (last === undefined) throw new Error('no entry');
  return readEntry(last);
};

const word = (n: number, bytes: number): string => `${n}`.padEnd(bytes, '.');

describe('an entity without a journal', () => {
  it('is as its fold begins', async () => {
    expect(await loaded(fakePorts())).toMatchObject({ state: { words: [] }, seq: 0, position: 0 });
  });
});

describe('a small state', () => {
  it('rides along in every entry, so that a load reads one', async () => {
    const fake = fakePorts();
    let known = await loaded(fake);
    for (let n = 0; n < 5; n++) known = await say(fake, known, [`word-${n}`]);
    expect(await lastEntry(fake)).toMatchObject({
      first: 4,
      state: { words: ['word-0', 'word-1', 'word-2', 'word-3', 'word-4'] },
    });
    const reads = fake.given('journal.read').length;
    expect((await loaded(fake)).state).toEqual(known.state);
    expect(fake.given('journal.read').length).toBe(reads);
  });

  it('is known as it would be loaded', async () => {
    const fake = fakePorts();
    const known = await say(fake, await say(fake, await loaded(fake), ['a']), ['b', 'c']);
    expect(await loaded(fake)).toEqual(known);
  });
});

describe('a large state', () => {
  /** Grows far beyond what is carried each time, in entries of many sizes. */
  const grow = async (fake: FakePorts, entries: number): Promise<Loaded<Words>> => {
    let known = await loaded(fake);
    for (let n = 0; n < entries; n++) {
      known = await say(
        fake,
        known,
        Array.from({ length: 1 + (n % 3) }, (_, i) => word(n * 10 + i, 300 + ((n * 97) % 900))),
      );
    }
    return known;
  };

  it('is carried now and then: a load reads never more than twice the state, and the last entry', async () => {
    const fake = fakePorts();
    let known = await loaded(fake);
    let carried = 0;
    for (let n = 0; n < 150; n++) {
      known = await say(fake, known, [word(n, 200 + ((n * 131) % 1_500))]);
      const entry = await lastEntry(fake);
      if (entry.state !== undefined || entry.state_ref !== undefined) carried += 1;
      const before = fake.calls.length;
      expect((await loaded(fake)).state).toEqual(known.state);
      const read = await bytesRead(fake, before);
      const last = got(await fake.ports.journal.last(entity))?.entry.length ?? 0;
      expect(read - last, `after ${n} entries`).toBeLessThanOrEqual(2 * encodeJson(known.state).length);
    }
    // Otherwise it would be quadratic.
    expect(carried).toBeGreaterThan(5);
    expect(carried).toBeLessThan(60);
  });

  it('is known as it would be loaded, whether it was carried or not', async () => {
    const fake = fakePorts();
    const known = await grow(fake, 40);
    const { stateBytes: _, ...rest } = known;
    expect(await loaded(fake)).toMatchObject(rest);
  });

  it('lies in a blob above 64 KiB, and so do events; the entry stays small', async () => {
    const fake = fakePorts();
    const known = await say(
      fake,
      await loaded(fake),
      Array.from({ length: 100 }, (_, n) => word(n, 1_000)),
    );
    const entry = await lastEntry(fake);
    expect([entry.state, entry.events, entry.events_count]).toEqual([undefined, undefined, 100]);
    expect(got(await fake.ports.journal.last(entity))?.entry.length).toBeLessThan(1_000);
    const gets = fake.given('blobs.get').length;
    expect(await loaded(fake)).toEqual(known);
    // The state says it all: the events are not read for it.
    expect(fake.given('blobs.get').length - gets).toBe(1);
  });

  it('is not appended when its blob cannot be stored', async () => {
    const fake = fakePorts();
    const before = await loaded(fake);
    fake.answer('blobs.put', fail(fault('unavailable', 'away')));
    const words = [word(1, runtimeLimits.entryBytesInline + 1)];
    const writing = {
      entity,
      before,
      state: { words },
      fold: 1,
      events: words,
      causes: [],
      at: 1,
      mark: undefined,
    };
    expect(await writeEntry(fake.ports, writing)).toMatchObject({
      ok: false,
      fault: { kind: 'unavailable' },
    });
  });
});

/** Bytes that came out of the stores since this call. */
const bytesRead = async (fake: FakePorts, since: number): Promise<number> => {
  let bytes = 0;
  for (const { call, given } of fake.calls.slice(since)) {
    if (call === 'journal.last') bytes += got(await fake.ports.journal.last(entity))?.entry.length ?? 0;
    if (call === 'journal.at')
      bytes += got(await fake.ports.journal.at(entity, given[1] as number))?.entry.length ?? 0;
    if (call === 'journal.read')
      for (const { entry } of got(
        await fake.ports.journal.read(entity, given[1] as number, given[2] as number),
      ))
        bytes += entry.length;
    if (call === 'blobs.get') bytes += got(await fake.ports.blobs.get(tenant, job, given[2] as never)).length; // as it was asked
  }
  return bytes;
};

describe('another version of the fold', () => {
  it('folds from the first entry, once: the next entry carries its own state', async () => {
    const fake = fakePorts();
    let known = await loaded(fake);
    for (let n = 0; n < 30; n++) known = await say(fake, known, [word(n, 1_000)]);
    const newer = foldOf(2);
    const reloaded = await loaded(fake, newer);
    expect(reloaded.state).toEqual(known.state);
    const said = await say(fake, reloaded, ['new'], newer);
    expect(await lastEntry(fake)).toMatchObject({ fold: 2, first: 30 });
    const reads = fake.given('journal.read').length;
    expect((await loaded(fake, newer)).state).toEqual(said.state);
    expect(fake.given('journal.read').length).toBe(reads);
    // And the older one still finds its way.
    expect((await loaded(fake)).state).toEqual(said.state);
  });
});

describe('an append', () => {
  it('has the same id for the same decision, and another for another, at the same place', async () => {
    const fake = fakePorts();
    const before = await loaded(fake);
    const idOf = async (words: readonly string[], at: number) => {
      const writing = {
        entity,
        before,
        state: { words: [...words] },
        fold: 1,
        events: words,
        at,
        mark: undefined,
      };
      return got(await writeEntry(fake.ports, { ...writing, causes: [cause(1)] })).append.id;
    };
    expect(await idOf(['a'], 5)).toBe(await idOf(['a'], 5));
    expect(await idOf(['a'], 5)).not.toBe(await idOf(['b'], 5));
    expect(await idOf(['a'], 5)).not.toBe(await idOf(['a'], 6));
  });
});

describe('an entry', () => {
  it('is read although it is nested deeper than what may come from outside', () => {
    let deep: Json = 1;
    for (let level = 0; level < 70; level++) deep = [deep];
    const entry = encodeJson({ v: 1, causes: [], at: 1, first: 0, events: [deep], tail_bytes: 0 });
    expect(readEntry({ entity, seq: 1, entry }).events).toEqual([deep]);
  });

  it('that cannot be read is a defect', () => {
    expect(() => readEntry({ entity, seq: 1, entry: encodeJson({ v: 2 }) })).toThrow();
    expect(() => readEntry({ entity, seq: 3, entry: new Uint8Array([0xff]) })).toThrow('M8: entry 3');
  });
});
