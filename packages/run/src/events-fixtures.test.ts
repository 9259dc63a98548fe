import { readdirSync, readFileSync } from 'node:fs';
import { type Entry, readStoredEntry } from '@foldmesh/envelope';
import { type GoldenJournal, goldenJournal } from '@foldmesh/envelope/internal';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runFold } from './decider.ts';
import { RunEvent, readRunEvent } from './events.ts';

const folder = new URL('../fixtures/', import.meta.url);
const filesIn = (path: string): readonly string[] =>
  readdirSync(new URL(path, folder)).filter((file) => file.endsWith('.json'));
const jsonIn = (file: string): unknown => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

/** What happened to one run, turn by turn. */
const turnsIn = (file: string): unknown[][] =>
  z.object({ turns: z.array(z.array(z.unknown())) }).parse(jsonIn(file)).turns;
const histories = filesIn('v1/').map((file) => `v1/${file}`);
const journals = filesIn('v1/journals/').map((file) => `v1/journals/${file}`);

describe('golden histories of a run', () => {
  it('hold every kind of event', () => {
    const kinds = histories
      .flatMap(turnsIn)
      .flat()
      .map((event) => readRunEvent(event).kind);
    const known = RunEvent.options.map(({ shape }) => shape.kind.value);
    expect([...new Set(kinds)].toSorted()).toEqual(known.toSorted());
  });

  it.each(histories)('%s reads, and will for ever', (file) => {
    const events = turnsIn(file).flat();
    expect(events.length).toBeGreaterThan(0);
    // As they were written; an older version would be lifted, and say more than it did.
    for (const event of events) expect(readRunEvent(event)).toEqual(event);
  });
});

/** Histories that are kept as journals too, with the states that the fold made of them. */
const kept = ['completed', 'reopened'];

const eventsOf = ({ events, events_ref: ref }: Entry, { blobs }: GoldenJournal): unknown[] =>
  ref === undefined ? [...(events ?? [])] : JSON.parse(blobs[ref.digest] ?? '');
const stateOf = ({ state, state_ref: ref }: Entry, { blobs }: GoldenJournal): unknown =>
  ref === undefined ? state : JSON.parse(blobs[ref.digest] ?? '');

describe('golden journals of a run', () => {
  it.each(kept)('%s is folded as it ever was, or by a fold with another version', async (name) => {
    const turns = turnsIn(`v1/${name}.json`).map((events) => events.map(readRunEvent));
    const text = `${JSON.stringify(goldenJournal(runFold, turns), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(`../fixtures/v1/journals/${name}-fold-${runFold.fold}.json`);
  });

  it('are there for the fold of today', () => {
    const wanted = kept.map((name) => `v1/journals/${name}-fold-${runFold.fold}.json`);
    expect(wanted.filter((file) => !journals.includes(file))).toEqual([]);
  });

  it.each(journals)('M8: %s folds to the state that it carries', (file) => {
    const journal = jsonIn(file) as GoldenJournal; // written above
    let state = runFold.initial();
    for (const entry of journal.entries.map(readStoredEntry)) {
      for (const event of eventsOf(entry, journal)) state = runFold.evolve(state, runFold.read(event));
      if (entry.fold === runFold.fold)
        expect(JSON.parse(JSON.stringify(state))).toEqual(stateOf(entry, journal));
    }
  });
});
