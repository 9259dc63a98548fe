import { Defect, type Json } from '@foldmesh/envelope';
import type { Recorded } from '@foldmesh/ports';
import { type Fold, readEntry } from '@foldmesh/runtime';
import { sameJson } from './same-json.ts';

/** An entity folded as its entries come: the newest prefix of its journal (M8). */
export interface SeenEntity<S, E> {
  readonly name: string;
  state: S;
  readonly events: E[];
  entries: number;
  at: number;
  /** From here on nothing is known of it: an entry could not be folded. */
  isLost: boolean;
}

export const unseenEntity = <S, E>(name: string, fold: Fold<S, E>): SeenEntity<S, E> => ({
  name,
  state: fold.initial(),
  events: [],
  entries: 0,
  at: 0,
  isLost: false,
});

export interface Step<S, E> {
  readonly fold: Fold<S, E>;
  readonly recorded: Recorded;
  /** Bytes of a blob that was kept before. */
  readonly blob: (digest: string) => Uint8Array | undefined;
  /** Called around each event. */
  readonly onEvent: (before: S, fold: () => S) => S;
}

/** Folds one more entry, and says where the journal now strays from itself or goes back in time (M8). */
export const see = <S, E>(
  seen: SeenEntity<S, E>,
  { fold, recorded, blob, onEvent }: Step<S, E>,
): readonly string[] => {
  if (seen.isLost) return [];
  const entry = readEntry(recorded);
  const json = (digest: string): Json => JSON.parse(new TextDecoder().decode(blob(digest))) as Json; // what was encoded as JSON
  const events =
    entry.events_ref === undefined
      ? (entry.events ?? [])
      : (json(entry.events_ref.digest) as readonly Json[]); // an events blob is written as a list
  seen.entries += 1;
  const wrong: string[] = [];
  if (entry.at < seen.at) wrong.push(`${seen.name}: time went back in its journal`);
  if (entry.first !== seen.events.length)
    wrong.push(
      `${seen.name}: entry ${recorded.seq} begins at event ${entry.first}, not ${seen.events.length}`,
    );
  seen.at = entry.at;
  try {
    for (const stored of events) {
      const event = fold.read(stored);
      seen.state = onEvent(seen.state, () => fold.evolve(seen.state, event));
      seen.events.push(event);
    }
  } catch (error) {
    if (!(error instanceof Defect)) throw error;
    seen.isLost = true;
    return [
      ...wrong,
      `${seen.name}: entry ${recorded.seq} does not follow from those before: ${error.message}`,
    ];
  }
  const carried = entry.state_ref === undefined ? entry.state : json(entry.state_ref.digest);
  if (carried !== undefined && !sameJson(carried, seen.state))
    wrong.push(`${seen.name}: entry ${recorded.seq} carries another state than its events make`);
  return wrong;
};
