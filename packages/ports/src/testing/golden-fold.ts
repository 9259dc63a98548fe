import { type Entry, readStoredEntry } from '@foldmesh/envelope';
import { type GoldenJournal, goldenJournal } from '@foldmesh/envelope/internal';
import type { Decider } from '../decider.ts';
import { copyOf, law } from './lawful.ts';
import { same } from './other-story.ts';

/** What is frozen of a fold, and what has to be in it. */
export interface GoldenFiles<State, Event> {
  readonly fold: Pick<Decider<State, Event>, 'fold' | 'read' | 'initial' | 'evolve'>;
  /** Every kind of event that there is. */
  readonly kinds: readonly string[];
  /** Histories that are kept as journals too, with the states that the fold made of them. */
  readonly kept: readonly string[];
  /** Parsed, by path: a history is `<name>.json`, a journal of it `journals/<name>-fold-<version>.json`. */
  readonly files: ReadonlyMap<string, unknown>;
}

/** In words, and what throws where it does not hold. */
export type Claim = readonly [claim: string, check: () => void];

/** What holds of golden histories and journals, whichever fold they are of. */
export const goldenClaims = <State, Event extends { readonly kind: string }>(
  golden: GoldenFiles<State, Event>,
): readonly Claim[] => {
  const paths = [...golden.files.keys()];
  const histories = paths.filter((path) => !path.includes('/'));
  const journals = paths.filter((path) => path.startsWith('journals/'));
  const wanted = golden.kept.map((name) => todaysPath(golden, name));
  return [
    ['the histories hold every kind of event', () => holdEveryKind(golden, histories)],
    ...histories.map(
      (path): Claim => [`${path} reads, and will for ever`, () => readsAsWritten(golden, path)],
    ),
    [
      'the journals are there for the fold of today',
      () =>
        agree(
          'journals',
          wanted.filter((path) => !journals.includes(path)),
          [],
        ),
    ],
    ...journals.map((path): Claim => {
      const todays = todaysPath(golden, /^journals\/(.+)-fold-\d+\.json$/.exec(path)?.[1] ?? '');
      return [`M8: ${path} folds to the states of ${todays}`, () => foldsAsToday(golden, path, todays)];
    }),
  ];
};

/** Each journal that is kept, as the fold of today writes it, with the path where it lies. */
export const goldenJournals = <State, Event>(
  golden: GoldenFiles<State, Event>,
): readonly (readonly [path: string, text: string])[] =>
  golden.kept.map((name) => {
    const turns = turnsIn(golden, `${name}.json`).map((events) => events.map(golden.fold.read));
    const journal = goldenJournal(golden.fold, turns);
    return [todaysPath(golden, name), `${JSON.stringify(journal, null, 2)}\n`];
  });

type Files = Pick<GoldenFiles<never, never>, 'files'>;

const todaysPath = ({ fold }: { readonly fold: { readonly fold: number } }, name: string): string =>
  `journals/${name}-fold-${fold.fold}.json`;

/** What happened, turn by turn. */
const turnsIn = ({ files }: Files, path: string): readonly (readonly unknown[])[] =>
  (files.get(path) as { readonly turns: unknown[][] }).turns; // so every history is written

const agree = (what: string, actual: unknown, expected: unknown): void =>
  same(what, actual, expected, undefined);

const holdEveryKind = <State, Event extends { readonly kind: string }>(
  golden: GoldenFiles<State, Event>,
  histories: readonly string[],
): void => {
  const events = histories.flatMap((path) => turnsIn(golden, path)).flat();
  const held = new Set(events.map((event) => golden.fold.read(event).kind));
  agree('kinds of events', [...held].toSorted(), golden.kinds.toSorted());
};

/** As it was written; an older version would be lifted, and say more than it did. */
const readsAsWritten = <State, Event>(golden: GoldenFiles<State, Event>, path: string): void => {
  const events = turnsIn(golden, path).flat();
  law(events.length > 0, 'nothing happened', path);
  agree('events', events.map(golden.fold.read), events);
};

/**
 * A fold passes over the states of another version, so a journal of an older one is judged by the journal that today's fold
 * wrote of the same history: each prefix of its events gives the state that stands there.
 */
const foldsAsToday = <State, Event>(
  { fold, files }: GoldenFiles<State, Event>,
  path: string,
  todays: string,
): void => {
  law(files.has(todays), 'no journal of today to compare with', path, todays);
  const [judged, known] = [journalIn(files, path), journalIn(files, todays)];
  const carried = known.entries.map((entry) => stateOf(readStoredEntry(entry), known));
  law(
    carried.some((state) => state !== undefined),
    'no entry carries a state',
    todays,
  );
  let state = fold.initial();
  const folded = judged.entries.map((entry, index) => {
    for (const event of eventsOf(readStoredEntry(entry), judged))
      state = fold.evolve(state, fold.read(event));
    return carried[index] === undefined ? undefined : copyOf(state);
  });
  agree('states', folded, carried);
};

const journalIn = (files: ReadonlyMap<string, unknown>, path: string): GoldenJournal =>
  files.get(path) as GoldenJournal; // so every journal is written

const eventsOf = ({ events, events_ref: ref }: Entry, { blobs }: GoldenJournal): readonly unknown[] =>
  ref === undefined ? (events ?? []) : JSON.parse(blobs[ref.digest] ?? '');
const stateOf = ({ state, state_ref: ref }: Entry, { blobs }: GoldenJournal): unknown =>
  ref === undefined ? state : JSON.parse(blobs[ref.digest] ?? '');
