import { expect, it } from 'vitest';
import { findingsOf } from './fixture.ts';
import { plainFiles } from './plain-files.ts';
import { treeOf } from './tree.ts';

it('names a NUL and an address in the lockfile by their lines', () => {
  const files = { 'pnpm-lock.yaml': 'a\ntarball: https://registry.example/a.tgz\n', 'notes.md': 'a\n\nb\0' };
  expect(findingsOf(plainFiles, files)).toEqual([
    expect.stringContaining('notes.md:3: a NUL'),
    expect.stringContaining('pnpm-lock.yaml:2: an address'),
  ]);
});

it('has looked at nothing where there is no lockfile', () => {
  expect(plainFiles.check(treeOf({ 'notes.md': '' })).looked).toBe(0);
});
