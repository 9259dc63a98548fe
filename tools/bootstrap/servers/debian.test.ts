import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderForTest } from '../scene.ts';
import { debianHere } from './debian.mjs';

/** A folder like `/etc`, with these files in it. */
const etcWith = (files: Readonly<Record<string, string>>): string => {
  const etc = folderForTest();
  mkdirSync(join(etc, 'apt', 'sources.list.d'), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(etc, path), text);
  return etc;
};

const release = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_CODENAME=bookworm\nID=debian\n';
const line = 'deb http://mirror.example/debian bookworm main\n';

it('reads both forms, from the file and the folder', () => {
  const etc = etcWith({
    'os-release': release,
    'apt/sources.list': line,
    'apt/sources.list.d/b.sources':
      'Types: deb\nURIs: http://b.example/debian\nSuites: bookworm\nComponents: main\n',
    'apt/sources.list.d/a.list': line.replace('mirror', 'a'),
    'apt/sources.list.d/a.list.save': line.replace('mirror', 'left-over'),
  });
  expect(debianHere(etc)).toEqual({
    codename: 'bookworm',
    archives: ['mirror', 'a', 'b'].map((host) => ({ uri: `http://${host}.example/debian` })),
  });
});

it('does without a file that it may not read', () => {
  const etc = etcWith({ 'os-release': release, 'apt/sources.list': line });
  mkdirSync(join(etc, 'apt', 'sources.list.d', 'folder.list'));
  expect(debianHere(etc)?.archives).toHaveLength(1);
});

it('knows nothing of another distribution, or of one without sources', () => {
  const other = release.replace('ID=debian', 'ID=ubuntu\nID_LIKE="debian"');
  expect(debianHere(etcWith({ 'os-release': other, 'apt/sources.list': line }))).toBeUndefined();
  expect(debianHere(etcWith({ 'os-release': release }))).toBeUndefined();
  expect(debianHere('/nowhere')).toBeUndefined();
});
