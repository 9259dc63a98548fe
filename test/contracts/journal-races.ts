import type { Entity } from '@foldmesh/ports';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { appendOf, type JournalBench, textOf } from './journal-hands.ts';
import { got, promise, property, type Rig } from './rig.ts';

export const racing = (rig: Rig<'journal'>): void => {
  promise(rig, 'of many that expect the same sequence one is stored', async (bench) => {
    const { journal } = bench.ports;
    const entity = bench.make.entity();
    const wanted = Array.from({ length: 20 }, (_, at) => appendOf(bench, entity, `writer ${at}`, 0));
    const answers = await Promise.all(wanted.map(async (one) => got(await journal.append(one))));
    expect(answers.filter(({ kind }) => kind === 'stored')).toHaveLength(1);
    expect(got(await journal.read(entity, 0, 100))).toHaveLength(1);
  });

  property(
    rig,
    'in any order of two writers, each entry stands behind the one its writer had seen',
    histories,
    (bench, history) => twoWriters(bench, bench.make.entity(), history),
  );
};

/** Each writer loads the last sequence or appends behind the one it loaded, in any order of the two. */
type Step = { readonly writer: 0 | 1; readonly act: 'load' | 'append' };

const histories: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({ writer: fc.constantFrom(0, 1), act: fc.constantFrom('load', 'append') }),
  { maxLength: 40 },
);

const twoWriters = async (bench: JournalBench, entity: Entity, history: readonly Step[]): Promise<void> => {
  const { journal } = bench.ports;
  const seen = [0, 0];
  let stored = 0;
  for (const [at, { writer, act }] of history.entries()) {
    if (act === 'load') seen[writer] = got(await journal.last(entity))?.seq ?? 0;
    else {
      const expected = seen[writer] ?? 0;
      const answer = got(await journal.append(appendOf(bench, entity, `${at} ${expected}`, expected)));
      if (answer.kind === 'stored') stored += 1;
    }
  }
  const entries = got(await journal.read(entity, 0, 1_000));
  expect(entries).toHaveLength(stored);
  const expected = entries.map((recorded) => Number(textOf(recorded).split(' ')[1]));
  expect(expected).toEqual([0, ...entries.map(({ seq }) => seq)].slice(0, entries.length));
};
