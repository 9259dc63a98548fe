import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { type SqliteMemory, sqliteMemory } from '@foldmesh/sqlite';
import { expect, it } from 'vitest';
import { got } from './rig.ts';
import { longFact, crashTenant as tenant, wordsIn } from './sqlite-facts.ts';
import { withFile } from './sqlite-rig.ts';

const writer = fileURLToPath(new URL('./sqlite-writer.ts', import.meta.url));

type Death = readonly ['itself' | 'parent', number];

/** Lets a process write from `step` on until it is killed, and gives the last step that was answered. */
const killed = async (path: string, step: number, [killer, nth]: Death): Promise<number> => {
  const arguments_ = ['-C', '@foldmesh/source', writer, path, String(step), killer, String(nth)];
  const child = spawn(process.execPath, arguments_, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let last = step - 1;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'now') child.kill('SIGKILL');
    else last = Number(line);
  }
  expect(await ended).toEqual([null, 'SIGKILL']);
  return last;
};

/** Whether a fact is there, and then by each of its words and its tag; or by none of them. */
const isThere = async (memory: SqliteMemory, step: number): Promise<boolean> => {
  const fact = longFact(step);
  const all = got(await memory.query({ tenant, limit: 1_000 }));
  const wanted = all.some(({ id }) => id === fact.id) ? [fact] : [];
  for (const query of [{ tags: fact.tags }, ...wordsIn(step).map((text) => ({ text }))])
    expect(got(await memory.query({ tenant, limit: 2, ...query }))).toEqual(wanted);
  return wanted.length > 0;
};

/** A fact takes 2 calls, 3 for each of its 1,501 terms, and the commit. */
const callsOfOne = 2 + 3 * 1_501 + 1;

const deaths: readonly Death[] = [
  ['itself', 2], // nothing but BEGIN was said
  ['itself', 3], // the fact, and nothing that it is found by
  ['itself', callsOfOne + 2_000], // half of the second
  ['itself', callsOfOne], // all of it, and no commit
  ['parent', 1], // somewhere in the commit, or soon after
  ['parent', 3],
];

it(
  'C100: a kill in the middle of a write leaves the fact whole or absent, and none that was answered is lost',
  () =>
    withFile(async (path) => {
      let next = 0;
      for (const death of deaths) {
        const last = await killed(path, next, death);
        await using memory = got(await sqliteMemory({ path, log: () => {} }));
        for (let step = next; step <= last; step++) expect(await isThere(memory, step)).toBe(true);
        // It was at work on this one, and whoever dies before the commit has not written it.
        const was = await isThere(memory, last + 1);
        if (death[0] === 'itself') expect(was).toBe(false);
        // Whether it was done or not, it is asked for again, and is one fact.
        expect(got(await memory.write(longFact(last + 1)))).toEqual({ duplicate: was });
        next = last + 2;
        const all = got(await memory.query({ tenant, limit: 1_000 }));
        expect(all.map(({ at }) => at)).toEqual(Array.from({ length: next }, (_, step) => next - 1 - step));
      }
      using database = new DatabaseSync(path);
      expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
      expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
    }),
  180_000,
);
