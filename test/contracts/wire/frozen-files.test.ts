import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { driftOf, freeze, frozenFolders } from './frozen-files.ts';

describe('fixtures of version 1', () => {
  it.each(frozenFolders)(
    '%s has what its list says: an added file is listed by `pnpm wire freeze`',
    (folder) => {
      expect(readdirSync(folder, { recursive: true }).length).toBeGreaterThan(3);
      expect(driftOf(folder)).toEqual({ changed: [], missing: [], added: [] });
    },
  );
});

describe('a frozen folder', () => {
  const folders: string[] = [];
  const folderWith = (files: Readonly<Record<string, string>>): string => {
    const folder = mkdtempSync(join(tmpdir(), 'frozen-'));
    folders.push(folder);
    mkdirSync(join(folder, 'deep'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return folder;
  };
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  it('takes new files, and lists each once', () => {
    const folder = folderWith({ 'a.json': '1', 'deep/b.json': '2' });
    expect(driftOf(folder).added).toEqual(['a.json', 'deep/b.json']);
    expect(freeze(folder)).toEqual(['a.json', 'deep/b.json']);
    writeFileSync(join(folder, 'c.json'), '3');
    expect(freeze(folder)).toEqual(['c.json']);
    expect(freeze(folder)).toEqual([]);
    expect(driftOf(folder)).toEqual({ changed: [], missing: [], added: [] });
  });

  it('keeps those that it has: one that changed or went is told, and nothing is listed', () => {
    const folder = folderWith({ 'a.json': '1', 'b.json': '2' });
    freeze(folder);
    writeFileSync(join(folder, 'a.json'), '1 ');
    rmSync(join(folder, 'b.json'));
    writeFileSync(join(folder, 'c.json'), '3');
    const drift = { changed: ['a.json'], missing: ['b.json'], added: ['c.json'] };
    expect(driftOf(folder)).toEqual(drift);
    expect(() => freeze(folder)).toThrow(`${folder} is frozen: a.json has changed, b.json is missing`);
    expect(driftOf(folder)).toEqual(drift);
  });
});
