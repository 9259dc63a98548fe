import { embedded, seededRandom, virtualClock } from '@foldmesh/embedded';
import type { Fact, FactQuery, Memory } from '@foldmesh/ports';
import { sqliteMemory } from '@foldmesh/sqlite';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { factOf, memoryContract } from './memory-contract.ts';
import { got } from './rig.ts';
import { samples } from './samples.ts';
import { sqliteRig } from './sqlite-rig.ts';

memoryContract(sqliteRig());

const make = samples('same');

/** Few and awkward, so that they meet: cases, compositions, ligatures, digits of other scripts, what is no word at all. */
const piece = fc.constantFrom(
  ...[
    'red',
    'Red',
    'green',
    'ß',
    'SS',
    'ς',
    'Σ',
    'σ',
    'İ',
    'i',
    'ı',
    'ﬁ',
    'fi',
    'é',
    'e\u0301',
    '\u0301',
    'Å',
    '\u212b',
  ],
  ...[
    '²',
    '2',
    '٣',
    '½',
    '日本',
    '日',
    '𝐫𝐞𝐝',
    '👩‍👧',
    '\u0000',
    '\ud800',
    '\udc00',
    '-',
    '_',
    "'",
    '"',
    '*',
    '%',
    'OR',
    'NEAR(',
    '\u00ad',
  ],
);
const text = fc.oneof(
  fc
    .array(fc.tuple(piece, fc.constantFrom(' ', '', '.')), { maxLength: 6 })
    .map((all) => all.flat().join('')),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const tag = fc.constantFrom(
  'a',
  'A',
  '',
  'é',
  'e\u0301',
  '\ud800',
  '\ud801',
  'a\u0000b',
  'a\u0000',
  '__proto__',
  '["a"]',
);
const tags = fc.array(tag, { maxLength: 3 });
const tenant = fc.constantFrom(make.tenant, make.otherTenant);
const job = fc.constantFrom(make.job, make.otherJob);

const fact: fc.Arbitrary<Fact> = fc
  .record(
    // Few steps and times: writes that come again, and facts that only their order tells apart.
    { step: fc.nat(12), at: fc.nat(2), tenant, job, text, tags, data: fc.jsonValue() },
    { requiredKeys: ['step', 'at', 'tenant', 'job', 'text', 'tags'] },
  )
  .map(({ step, ...more }) => factOf({ make }, step, more as Partial<Fact>));

const query: fc.Arbitrary<FactQuery> = fc.record(
  { tenant, job, text, tags, limit: fc.integer({ min: 1, max: 6 }) },
  { requiredKeys: ['tenant', 'limit'] },
);

it('answers as the memory in memory does, whatever is written and asked', async () => {
  const answers = async (memory: Memory, facts: readonly Fact[], queries: readonly FactQuery[]) => {
    const all: unknown[] = [];
    for (const one of facts) all.push(got(await memory.write(one)));
    for (const one of queries) all.push(got(await memory.query(one)));
    return all;
  };
  const cases = [
    fc.array(fact, { minLength: 1, maxLength: 16 }),
    fc.array(query, { minLength: 1, maxLength: 16 }),
  ] as const;
  await fc.assert(
    fc.asyncProperty(...cases, async (facts, queries) => {
      const { memory } = embedded({ clock: virtualClock(), random: seededRandom(1) });
      await using sqlite = got(await sqliteMemory({ path: ':memory:', log: () => {} }));
      expect(await answers(sqlite, facts, queries)).toEqual(await answers(memory, facts, queries));
    }),
    { numRuns: 500 },
  );
}, 120_000);
