import { expect, it } from 'vitest';
import { type GoldenFiles, goldenClaims, goldenJournals } from './golden-fold.ts';

interface Added {
  readonly kind: 'added';
  readonly much: number;
}

type Sum = GoldenFiles<{ sum: number; events?: number }, Added>;

const read = (stored: unknown): Added => stored as Added; // all that lies below

const history = { turns: [[{ kind: 'added', much: 2 }], [{ kind: 'added', much: 3 }]] };

const first: Sum = {
  fold: { fold: 1, read, initial: () => ({ sum: 0 }), evolve: ({ sum }, { much }) => ({ sum: sum + much }) },
  kinds: ['added'],
  kept: ['few'],
  files: new Map([['few.json', history]]),
};

/** Another version: its states are no longer those that the first one carries. */
const second: Sum['fold'] = {
  ...first.fold,
  fold: 2,
  initial: () => ({ sum: 0, events: 0 }),
  evolve: ({ sum, events = 0 }, { much }) => ({ sum: sum + much, events: events + 1 }),
};

/** With the journals that its fold writes laid beside what is there. */
const kept = (golden: Sum): Sum => ({
  ...golden,
  files: new Map([
    ...golden.files,
    ...goldenJournals(golden).map(([path, text]) => [path, JSON.parse(text)] as const),
  ]),
});

const broken = (golden: Sum): readonly string[] =>
  goldenClaims(golden).flatMap(([claim, check]) => {
    try {
      check();
      return [];
    } catch {
      return [claim];
    }
  });

const grown = kept({ ...kept(first), fold: second });
const older = 'M8: journals/few-fold-1.json folds to the states of journals/few-fold-2.json';
const newer = 'M8: journals/few-fold-2.json folds to the states of journals/few-fold-2.json';

it('claims something of each history and of each journal, whichever version wrote it', () => {
  expect(goldenClaims(grown).map(([claim]) => claim)).toEqual([
    'the histories hold every kind of event',
    'few.json reads, and will for ever',
    'the journals are there for the fold of today',
    older,
    newer,
  ]);
  expect(broken(grown)).toEqual([]);
});

const without = (path: string): Sum['files'] => new Map([...grown.files].filter(([other]) => other !== path));
const withJournal = (path: string, change: (text: string) => string): Sum['files'] =>
  new Map([...grown.files, [path, JSON.parse(change(JSON.stringify(grown.files.get(path))))]]);

it.each<[string, Partial<Sum>, readonly string[]]>([
  [
    'a kind of event stands in no history',
    { kinds: ['added', 'taken'] },
    ['the histories hold every kind of event'],
  ],
  [
    'an event is read back as another',
    { fold: { ...second, read: (stored) => ({ ...read(stored), unit: 'mm' }) } },
    ['few.json reads, and will for ever'],
  ],
  [
    'a history is empty',
    { files: new Map([...grown.files, ['none.json', { turns: [] }]]) },
    ['none.json reads, and will for ever'],
  ],
  [
    'the fold has a new version and left no journal',
    { files: without('journals/few-fold-2.json') },
    ['the journals are there for the fold of today', older],
  ],
  [
    'a fold gives other states under the same version',
    { fold: { ...second, evolve: ({ sum }, { much }) => ({ sum: sum - much, events: 0 }) } },
    [older, newer],
  ],
  [
    'an older journal tells of something else',
    { files: withJournal('journals/few-fold-1.json', (text) => text.replace('"much":2', '"much":7')) },
    [older],
  ],
  [
    'no entry carries a state',
    {
      files: withJournal('journals/few-fold-2.json', (text) =>
        text.replace(/,"fold":2,"state(_ref)?":\{[^}]*\}/g, ''),
      ),
    },
    [older, newer],
  ],
])('fails where %s', (_, change, claims) => {
  expect(broken({ ...grown, ...change })).toEqual(claims);
});
