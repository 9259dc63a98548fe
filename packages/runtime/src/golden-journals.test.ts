import { readdirSync, readFileSync } from 'node:fs';
import { encodeJson, wireIdOf } from '@foldmesh/envelope';
import type { GoldenJournal } from '@foldmesh/envelope/internal';
import { jobFold } from '@foldmesh/job';
import type { Entity } from '@foldmesh/ports';
import { runFold } from '@foldmesh/run';
import { expect, it } from 'vitest';
import { entityName, eventsOf, type Fold, load, readEntry } from './entity-log.ts';
import { type FakePorts, fakePorts } from './testing/fake-ports.ts';
import { job, tenant } from './testing/messages.ts';

const kept = (of: 'job' | 'run'): [string, GoldenJournal][] => {
  const folder = new URL(`../../${of}/fixtures/v1/journals/`, import.meta.url);
  return readdirSync(folder).map((file) => {
    const journal = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as GoldenJournal; // as its owner's test reads it
    return [`${of} ${file}`, journal];
  });
};

const entity: Entity = { tenant, job };

/** Lays a journal down as it lay, up to and with this entry. */
const laid = async (journal: GoldenJournal, count: number): Promise<FakePorts> => {
  const fake = fakePorts();
  for (const text of Object.values(journal.blobs))
    await fake.ports.blobs.put(tenant, job, new TextEncoder().encode(text));
  for (const [index, entry] of journal.entries.slice(0, count).entries())
    await fake.ports.journal.append({
      entity,
      entry: encodeJson(entry),
      expected: index,
      id: wireIdOf('entry', entityName(entity), index, 0),
    });
  return fake;
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Every prefix loads to the state that folding its events from the first gives, also where a later entry carries none. */
const loads = async <S, E>(fold: Fold<S, E>, journal: GoldenJournal): Promise<void> => {
  let state = fold.initial();
  expect(journal.entries.length).toBeGreaterThan(2);
  for (let count = 1; count <= journal.entries.length; count++) {
    const { ports } = await laid(journal, count);
    const loaded = await load(ports, fold, entity);
    const last = await ports.journal.last(entity);
    if (!last.ok || last.value === undefined) throw new Error('an entry was laid down');
    const events = await eventsOf(ports, entity, readEntry(last.value));
    for (const event of events.ok ? events.value : []) state = fold.evolve(state, fold.read(event));
    expect(loaded).toMatchObject({ ok: true, value: { seq: count } });
    expect(loaded.ok && plain(loaded.value.state)).toEqual(plain(state));
  }
};

it.each(kept('job'))('M8: the journal of %s loads, up to each of its entries', (_, journal) =>
  loads(jobFold, journal),
);
it.each(kept('run'))('M8: the journal of %s loads, up to each of its entries', (_, journal) =>
  loads(runFold, journal),
);
