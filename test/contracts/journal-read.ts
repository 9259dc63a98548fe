import { expect } from 'vitest';
import { append, textOf } from './journal-hands.ts';
import { got, promise, type Rig } from './rig.ts';

export const reading = (rig: Rig<'journal'>): void => {
  promise(
    rig,
    'an entity that nobody has written to has no last entry, and nothing to read',
    async (bench) => {
      const { journal } = bench.ports;
      const entity = bench.make.entity();
      expect(got(await journal.last(entity))).toBeUndefined();
      expect(got(await journal.at(entity, 1))).toBeUndefined();
      expect(got(await journal.read(entity, 0, 10))).toEqual([]);
    },
  );

  promise(rig, 'last is the entry of the last append, with its entity and its sequence', async (bench) => {
    const { journal } = bench.ports;
    for (const entity of [bench.make.entity(), bench.make.entity({ task: 'a~2', round: 3 })]) {
      const seqs = await append(bench, entity, [`${entity.run?.task} a`, `${entity.run?.task} b`]);
      const last = got(await journal.last(entity));
      expect(last).toMatchObject({ entity, seq: seqs[1] });
      expect(last && textOf(last)).toBe(`${entity.run?.task} b`);
    }
  });

  promise(rig, "at gives the entry of a sequence, if it is the entity's", async (bench) => {
    const { journal } = bench.ports;
    const job = bench.make.entity();
    const run = bench.make.entity({ task: 'a', round: 1 });
    const [first = 0] = await append(bench, job, ['a']);
    const [other = 0] = await append(bench, run, ['b']);
    const [second = 0] = await append(bench, job, ['c'], first);
    const texts = await Promise.all([first, second].map(async (seq) => got(await journal.at(job, seq))));
    expect(texts.map((found) => found && textOf(found))).toEqual(['a', 'c']);
    expect(got(await journal.at(job, other))).toBeUndefined();
    expect(got(await journal.at(job, second + 1))).toBeUndefined();
  });

  promise(rig, 'read gives a limited number of entries from a sequence on, oldest first', async (bench) => {
    const { journal } = bench.ports;
    const entity = bench.make.entity();
    const [first = 0] = await append(bench, entity, ['a']);
    await append(bench, bench.make.entity({ task: 'a', round: 1 }), ['x', 'y']);
    const [, third = 0, last = 0] = await append(bench, entity, ['b', 'c', 'd'], first);
    const texts = async (from: number, limit: number) =>
      got(await journal.read(entity, from, limit)).map(textOf);
    expect(await texts(0, 10)).toEqual(['a', 'b', 'c', 'd']);
    expect(await texts(0, 2)).toEqual(['a', 'b']);
    expect(await texts(first + 1, 2)).toEqual(['b', 'c']);
    expect(await texts(third, 10)).toEqual(['c', 'd']);
    expect(await texts(last + 1, 10)).toEqual([]);
  });

  promise(rig, 'what was appended is read at once', async (bench) => {
    const { journal } = bench.ports;
    const entity = bench.make.entity();
    let last = 0;
    for (let step = 0; step < 50; step++) {
      const [seq = 0] = await append(bench, entity, [`step ${step}`], last);
      expect(got(await journal.last(entity))?.seq).toBe(seq);
      last = seq;
    }
  });
};
