import { expect } from 'vitest';
import { append, appendOf, textOf, textsOf } from './journal-hands.ts';
import { got, promise, type Rig } from './rig.ts';

export const appending = (rig: Rig<'journal'>): void => {
  promise(rig, 'the first append expects 0, each other the sequence of the one before', async (bench) => {
    const entity = bench.make.entity();
    const seqs = await append(bench, entity, ['a', 'b', 'c']);
    expect(seqs[0]).toBeGreaterThan(0);
    expect(seqs).toEqual([...new Set(seqs)].sort((one, other) => one - other));
    expect(await textsOf(bench, entity)).toEqual(['a', 'b', 'c']);
  });

  promise(
    rig,
    'an append that expects another sequence than the last is a conflict and stores nothing',
    async (bench) => {
      const { journal } = bench.ports;
      const entity = bench.make.entity();
      const [first = 0, last = 0] = await append(bench, entity, ['a', 'b']);
      for (const expected of [0, first, last + 1]) {
        const wanted = appendOf(bench, entity, `expects ${expected}`, expected);
        expect(got(await journal.append(wanted))).toEqual({ kind: 'conflict' });
      }
      expect(await textsOf(bench, entity)).toEqual(['a', 'b']);
      expect(
        got(
          await journal.append(appendOf(bench, bench.make.entity(undefined, bench.make.otherJob), 'x', last)),
        ),
      ).toEqual({
        kind: 'conflict',
      });
    },
  );

  promise(
    rig,
    "entities do not stand in each other's way, though their sequences are of one count",
    async (bench) => {
      const { make } = bench;
      const job = make.entity();
      const others = [
        make.entity({ task: 'a', round: 1 }),
        make.entity({ task: 'a', round: 2 }),
        make.entity({ task: 'a~1', round: 1 }),
        make.entity(undefined, make.otherJob),
        { ...job, tenant: make.otherTenant },
      ];
      const [first = 0] = await append(bench, job, ['job']);
      let last = first;
      for (const [at, entity] of others.entries()) {
        const [seq = 0] = await append(bench, entity, [`other ${at}`]);
        expect(seq).toBeGreaterThan(last);
        last = seq;
      }
      const [second = 0] = await append(bench, job, ['job again'], first);
      expect(second).toBeGreaterThan(last);
      expect(await textsOf(bench, job)).toEqual(['job', 'job again']);
    },
  );

  promise(
    rig,
    "sent again, one's own append is answered as stored or as a conflict, and is there once",
    async (bench) => {
      const { journal } = bench.ports;
      const entity = bench.make.entity();
      const wanted = appendOf(bench, entity, 'a', 0);
      const first = got(await journal.append(wanted));
      const again = got(await journal.append(wanted));
      expect([first, { kind: 'conflict' }]).toContainEqual(again);
      expect(await textsOf(bench, entity)).toEqual(['a']);
    },
  );

  promise(
    rig,
    'an id that was stored a moment ago is not stored again, though the sequence fits',
    async (bench) => {
      const { journal } = bench.ports;
      const entity = bench.make.entity();
      const [first = 0] = await append(bench, entity, ['a']);
      expect(got(await journal.append(appendOf(bench, entity, 'a', first)))).toEqual({
        kind: 'stored',
        seq: first,
      });
      expect(await textsOf(bench, entity)).toEqual(['a']);
    },
  );

  promise(rig, 'the journal keeps bytes of its own', async (bench) => {
    const { journal } = bench.ports;
    const entity = bench.make.entity();
    const wanted = appendOf(bench, entity, 'a', 0);
    const appended = journal.append(wanted);
    wanted.entry.fill(0);
    got(await appended);
    const read = got(await journal.last(entity));
    expect(read && textOf(read)).toBe('a');
    read?.entry.fill(0);
    expect(await textsOf(bench, entity)).toEqual(['a']);
  });
};
