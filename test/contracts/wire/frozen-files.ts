import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where files lie that may be added to and never changed: fixtures of version 1. */
export const frozenFolders = [
  'packages/envelope/fixtures/v1',
  'packages/job/fixtures/v1',
  'packages/run/fixtures/v1',
  'services/manager/fixtures/v1',
] as const;

/** What has become of a folder since its list was written; names of files. */
export interface Drift {
  readonly changed: readonly string[];
  readonly missing: readonly string[];
  readonly added: readonly string[];
}

/** As `sha256sum` writes it, so that `sha256sum -c` reads it too. */
const listName = 'digests.txt';

export const driftOf = (folder: string): Drift => {
  const listed = listedIn(folder);
  const found = digestsIn(folder);
  return {
    changed: [...listed]
      .filter(([file, digest]) => (found.get(file) ?? digest) !== digest)
      .map(([file]) => file),
    missing: [...listed.keys()].filter((file) => !found.has(file)),
    added: [...found.keys()].filter((file) => !listed.has(file)),
  };
};

/** Lists the files that were added; throws, and lists nothing, where one that is listed has changed or gone. */
export const freeze = (folder: string): readonly string[] => {
  const { changed, missing, added } = driftOf(folder);
  const broken = [
    ...changed.map((file) => `${file} has changed`),
    ...missing.map((file) => `${file} is missing`),
  ];
  if (broken.length > 0) throw new Error(`${folder} is frozen: ${broken.join(', ')}`);
  if (added.length === 0) return [];
  const lines = [...digestsIn(folder)].map(([file, digest]) => `${digest}  ${file}\n`);
  writeFileSync(join(folder, listName), lines.join(''));
  return added;
};

const listedIn = (folder: string): ReadonlyMap<string, string> => {
  const path = join(folder, listName);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line): [string, string] => [line.slice(66), line.slice(0, 64)]),
  );
};

const digestsIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== listName)
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((path) => [
        path.slice(join(folder).length + 1),
        createHash('sha256').update(readFileSync(path)).digest('hex'),
      ]),
  );
