import { encodeJson } from '../codec.ts';
import { Entry } from '../entry.ts';
import { type Digest, digestOf, WireId } from '../ids.ts';
import type { BlobRef } from '../outcome.ts';

/** A journal as it lay in its stream, with what lay in the blob store beside it, by digest. */
export interface GoldenJournal {
  readonly entries: readonly Entry[];
  readonly blobs: Readonly<Record<Digest, string>>;
}

interface Fold<S, E> {
  readonly fold: number;
  readonly initial: () => S;
  readonly evolve: (state: S, event: E) => S;
}

const decoder = new TextDecoder();

/**
 * An entry for each turn, in the three ways of telling one by turns: events and state within, both behind a reference, and
 * the state that an earlier one carries.
 */
export const goldenJournal = <S, E>(
  { fold, initial, evolve }: Fold<S, E>,
  turns: readonly (readonly E[])[],
): GoldenJournal => {
  const blobs: Record<Digest, string> = {};
  const refer = (value: unknown): BlobRef => {
    const bytes = encodeJson(value);
    const digest = digestOf(bytes);
    blobs[digest] = decoder.decode(bytes);
    return { digest, bytes: bytes.length };
  };
  let state = initial();
  let first = 0;
  const entries = turns.map((events, index): Entry => {
    for (const event of events) state = evolve(state, event);
    const said = { v: 1, causes: [cause], at: 1_800_000_000_000 + index, first };
    first += events.length;
    const tail_bytes = encodeJson(events).length;
    switch (index % 3) {
      case 0:
        return Entry.parse({
          ...said,
          mark,
          events,
          tail_bytes,
          fold,
          state: JSON.parse(JSON.stringify(state)),
        });
      case 1: {
        const told = { events_ref: refer(events), events_count: events.length };
        return Entry.parse({ ...said, mark, ...told, tail_bytes, fold, state_ref: refer(state) });
      }
      default:
        // Written while the dedup store was away, so without its mark. Sequences count from 1: the one before carries the state.
        return Entry.parse({ ...said, events, tail_bytes, state_at: index });
    }
  });
  return { entries, blobs };
};

const mark = 'mark-1';
const cause = WireId.parse('cd'.repeat(16));
