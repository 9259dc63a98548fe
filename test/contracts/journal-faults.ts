import type { Entity } from '@foldmesh/ports';
import { expect } from 'vitest';
import { appendOf, collect, type JournalBench, textOf } from './journal-hands.ts';
import { insist, promise, type Rig } from './rig.ts';

export const writingOnce = (rig: Rig<'journal'>): void => {
  promise(
    rig,
    'two writers that reload and judge for themselves write each entry once, in one line',
    async (bench) => {
      const entity = bench.make.entity();
      await Promise.all(['a', 'b'].map((writer) => writeAll(bench, entity, writer)));
      const entries = await readAll(bench, entity);
      for (const writer of ['a', 'b'])
        expect(entries.map(textOf).filter((text) => text.startsWith(writer))).toEqual(textsBy(writer));
      expect(entries).toHaveLength(2 * entriesEach);
      expect(entries.map(({ seq }) => seq)).toEqual(
        [...new Set(entries.map(({ seq }) => seq))].sort((one, other) => one - other),
      );
    },
  );

  promise(rig, 'a follower gets each entry once, whatever its writers were told', async (bench) => {
    const entity = bench.make.entity();
    const stop = new AbortController();
    const following = collect(bench.ports.journal.follow(bench.make, 0, stop.signal), 2 * entriesEach);
    await Promise.all(['a', 'b'].map((writer) => writeAll(bench, entity, writer)));
    expect((await following).map(({ seq }) => seq)).toEqual(
      (await readAll(bench, entity)).map(({ seq }) => seq),
    );
    stop.abort();
  });
};

const entriesEach = 15;

const textsBy = (writer: string): readonly string[] =>
  Array.from({ length: entriesEach }, (_, at) => `${writer} ${at}`);

const readAll = (bench: JournalBench, entity: Entity) =>
  insist(bench, () => bench.ports.journal.read(entity, 0, 1_000));

/** Nothing but what is read proves anything: neither a conflict nor silence says whether an append was stored. */
const writeAll = async (bench: JournalBench, entity: Entity, writer: string): Promise<void> => {
  for (const text of textsBy(writer)) {
    for (let tries = 0; tries < 200; tries++) {
      const entries = await readAll(bench, entity);
      if (entries.some((recorded) => textOf(recorded) === text)) break;
      const answer = await bench.ports.journal.append(
        appendOf(bench, entity, text, entries.at(-1)?.seq ?? 0),
      );
      if (answer.ok && answer.value.kind === 'stored') break;
      await bench.advance(1);
    }
  }
};
