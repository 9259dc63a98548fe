import { type Key, keyOf, positionOf, type TenantId } from '@foldmesh/envelope';
import type { Fact, FactQuery } from '@foldmesh/ports';
import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import { type Bench, got, promise, property, type Rig } from './rig.ts';

/** What every memory keeps: each fact once, and each tenant's to itself. */
export const memoryContract = (rig: Rig<'memory'>): void => {
  describe(`memory on ${rig.name}`, () => {
    writing(rig);
    finding(rig);
    keepingApart(rig);
  });
};

const writing = (rig: Rig<'memory'>): void => {
  promise(rig, 'a fact is found whole', async (bench) => {
    const bare = factOf(bench, 1);
    const rich = factOf(bench, 2, { tags: ['a', 'b'], data: { deep: [1, null, { x: 'y' }] }, at: 2_000 });
    for (const fact of [bare, rich])
      expect(got(await bench.ports.memory.write(fact))).toEqual({ duplicate: false });
    expect(await found(bench, {})).toEqual([rich, bare]);
  });

  promise(
    rig,
    'C100: a fact written again, or at once by many, is one and stays as it was',
    async (bench) => {
      const writes = Array.from({ length: 3 }, (_, at) =>
        bench.ports.memory.write(factOf(bench, 1, { text: `take ${at}`, tags: [`t${at}`], at: 1_000 + at })),
      );
      const duplicates = (await Promise.all(writes)).map((one) => got(one).duplicate);
      expect(duplicates.toSorted()).toEqual([false, true, true]);
      const [kept, ...more] = await found(bench, {});
      expect(more).toEqual([]);
      const again = factOf(bench, 1, { text: 'another', tags: [], data: 1, at: 9_000 });
      expect(got(await bench.ports.memory.write(again))).toEqual({ duplicate: true });
      expect(await found(bench, {})).toEqual([kept]);
      expect(await found(bench, { text: 'another' })).toEqual([]);
    },
  );

  promise(rig, 'what is written and what is found are copies', async (bench) => {
    const tags = ['a'];
    const data = { list: [1] };
    got(await bench.ports.memory.write(factOf(bench, 1, { tags, data })));
    tags.push('b');
    data.list.push(2);
    for (const fact of await found(bench, {})) (fact.data as typeof data).list.push(3); // as written
    expect(await found(bench, {})).toEqual([factOf(bench, 1, { tags: ['a'], data: { list: [1] } })]);
  });
};

const finding = (rig: Rig<'memory'>): void => {
  promise(
    rig,
    'the more of the words a fact has the earlier it comes; without any it does not',
    async (bench) => {
      await writeAll(bench, ['the red door', 'a red and green door in the yard', 'nothing of it', 'green']);
      expect(await texts(bench, { text: 'Green, RED: door!' })).toEqual([
        'a red and green door in the yard',
        'the red door',
        'green',
      ]);
    },
  );

  promise(rig, 'a word counts once, however often it stands there', async (bench) => {
    await writeAll(bench, ['red green', 'red red red red']);
    expect(await texts(bench, { text: 'red red red green' })).toEqual(['red green', 'red red red red']);
  });

  promise(rig, 'words are whole words of any script, in any case', async (bench) => {
    await writeAll(bench, ['Die Straße nach Öland', 'ΟΔΟΣ και πόλη', 'улица 42', 'no reduction', 'über']);
    expect(await texts(bench, { text: 'STRASSE' })).toEqual(['Die Straße nach Öland']);
    expect(await texts(bench, { text: 'öland' })).toEqual(['Die Straße nach Öland']);
    expect(await texts(bench, { text: 'u\u0308BER' })).toEqual(['über']);
    expect(await texts(bench, { text: 'οδος' })).toEqual(['ΟΔΟΣ και πόλη']);
    expect(await texts(bench, { text: 'УЛИЦА' })).toEqual(['улица 42']);
    expect(await texts(bench, { text: '42' })).toEqual(['улица 42']);
    expect(await texts(bench, { text: 'red' })).toEqual([]);
  });

  promise(rig, 'of equals the newest comes first, and no more than the limit', async (bench) => {
    for (const [step, at] of [3_000, 1_000, 2_000].entries())
      got(await bench.ports.memory.write(factOf(bench, step, { text: `red at ${at}`, at })));
    const newestFirst = ['red at 3000', 'red at 2000', 'red at 1000'];
    expect(await texts(bench, { text: 'red' })).toEqual(newestFirst);
    expect(await texts(bench, {})).toEqual(newestFirst);
    expect(await texts(bench, { limit: 2 })).toEqual(newestFirst.slice(0, 2));
  });

  promise(rig, 'a text without words names none', async (bench) => {
    await writeAll(bench, ['one']);
    expect(await texts(bench, { text: '' })).toEqual(['one']);
    expect(await texts(bench, { text: ' *.> %_ ' })).toEqual(['one']);
  });

  promise(rig, 'all tags are wanted, exactly as they were given', async (bench) => {
    for (const [step, tags] of [['a', 'b'], ['a'], ['A', 'b'], [], ['a,b']].entries())
      got(await bench.ports.memory.write(factOf(bench, step, { text: tags.join('+'), tags })));
    expect(await texts(bench, { tags: ['b', 'a'] })).toEqual(['a+b']);
    expect((await texts(bench, { tags: ['a'] })).toSorted()).toEqual(['a', 'a+b']);
    expect(await texts(bench, { tags: ['*'] })).toEqual([]);
    expect(await texts(bench, { tags: ['a'], text: 'nothing' })).toEqual([]);
  });

  promise(rig, "a job's own facts can be asked for alone", async (bench) => {
    const { job, otherJob } = bench.make;
    got(await bench.ports.memory.write(factOf(bench, 1, { text: 'mine' })));
    got(await bench.ports.memory.write(factOf(bench, 2, { text: 'theirs', job: otherJob })));
    expect(await texts(bench, { job })).toEqual(['mine']);
    expect(await texts(bench, { job: otherJob })).toEqual(['theirs']);
    expect((await texts(bench, {})).toSorted()).toEqual(['mine', 'theirs']);
  });
};

const keepingApart = (rig: Rig<'memory'>): void => {
  const nasty = fc.constantFrom(
    'canary',
    '*',
    '>',
    '.',
    '/',
    '..',
    '__proto__',
    '%',
    '\u0000',
    'x or 1=1',
    ':',
    '{x}',
  );
  const asked = fc.record({ text: nasty, tags: fc.array(nasty, { maxLength: 2 }), own: fc.boolean() });

  property(
    rig,
    'C099: no tenant finds what another wrote, whatever it asks for',
    asked,
    async (bench, sample) => {
      const { make, ports } = bench;
      const { text, tags } = sample;
      const theirs = factOf(bench, 1, {
        tenant: make.otherTenant,
        text: `canary ${text}`,
        tags: [...tags, 'canary'],
      });
      got(await ports.memory.write(theirs));
      const mine = factOf(bench, 2, { text: `own ${text}`, tags });
      if (sample.own) got(await ports.memory.write(mine));
      const job = theirs.job;
      for (const query of [{}, { text }, { tags }, { text: theirs.text, tags }, { text, job }, { job }])
        for (const fact of await found(bench, query)) expect(fact.tenant).toBe(make.tenant);
      expect(await found(bench, { tags: ['canary'], text: 'canary' })).toEqual(
        tags.includes('canary') && sample.own && text === 'canary' ? [mine] : [],
      );
      expect(await found(bench, { tenant: make.otherTenant })).toEqual([theirs]);
    },
  );

  promise(rig, 'an id of one tenant says nothing to another', async (bench) => {
    const { make, ports } = bench;
    const id = factOf(bench, 1).id;
    got(await ports.memory.write(factOf(bench, 1, { text: 'canary' })));
    // No service does this: the id is the envelope's key, which begins with its tenant.
    const stolen = factOf(bench, 1, { tenant: make.otherTenant, id, text: 'other' });
    expect(got(await ports.memory.write(stolen))).toEqual({ duplicate: false });
    expect(await texts(bench, {})).toEqual(['canary']);
    expect(await texts(bench, { tenant: make.otherTenant })).toEqual(['other']);
  });
};

/** A fact as the memory service makes it: its id is a key of its tenant and job. */
export const factOf = (
  { make }: Pick<Bench<'memory'>, 'make'>,
  step: number,
  more: Partial<Fact> = {},
): Fact => {
  const { tenant = make.tenant, job = make.job } = more;
  const id: Key = keyOf({ ...positionOf(make.key(step)), tenant, job });
  return { id, tenant, job, text: `fact ${step}`, tags: [], at: 1_000, ...more };
};

const writeAll = async (bench: Bench<'memory'>, all: readonly string[]): Promise<void> => {
  for (const [step, text] of all.entries())
    got(await bench.ports.memory.write(factOf(bench, step, { text, at: 1_000 - step })));
};

type Asked = Omit<FactQuery, 'tenant' | 'limit'> & { readonly tenant?: TenantId; readonly limit?: number };

const found = async ({ ports, make }: Bench<'memory'>, asked: Asked): Promise<readonly Fact[]> =>
  got(await ports.memory.query({ tenant: make.tenant, limit: 100, ...asked }));

const texts = async (bench: Bench<'memory'>, asked: Asked): Promise<readonly string[]> =>
  (await found(bench, asked)).map(({ text }) => text);
