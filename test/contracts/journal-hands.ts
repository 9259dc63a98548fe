import { decodeUtf8, invariant } from '@foldmesh/envelope';
import type { Append, Entity, Recorded } from '@foldmesh/ports';
import { type Bench, got } from './rig.ts';
import { bytesOf } from './samples.ts';

export type JournalBench = Bench<'journal'>;

/** An append whose id and entry both say `text`. */
export const appendOf = ({ make }: JournalBench, entity: Entity, text: string, expected: number): Append => ({
  entity,
  entry: bytesOf(text),
  expected,
  id: make.appendId(text),
});

/** Appends `texts` one after another to an entity that holds what `after` says, and returns their sequences. */
export const append = async (
  bench: JournalBench,
  entity: Entity,
  texts: readonly string[],
  after = 0,
): Promise<number[]> => {
  const seqs: number[] = [];
  for (const text of texts) {
    const appended = got(
      await bench.ports.journal.append(appendOf(bench, entity, text, seqs.at(-1) ?? after)),
    );
    invariant(appended.kind === 'stored', `the append of ${text} was answered ${appended.kind}`);
    seqs.push(appended.seq);
  }
  return seqs;
};

export const textOf = ({ entry }: { readonly entry: Uint8Array }): string => {
  const text = got(decodeUtf8(entry));
  return text.slice(1, -1);
};

/** The texts of all that an entity holds. */
export const textsOf = async ({ ports }: JournalBench, entity: Entity): Promise<readonly string[]> =>
  got(await ports.journal.read(entity, 0, 1_000)).map(textOf);

/** Writes down what comes until told to stop, or until `count` have come. */
export const collect = async (
  entries: AsyncIterable<Recorded>,
  count = Number.POSITIVE_INFINITY,
): Promise<readonly Recorded[]> => {
  const all: Recorded[] = [];
  for await (const recorded of entries) {
    all.push(recorded);
    if (all.length >= count) break;
  }
  return all;
};
