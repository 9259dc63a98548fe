import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Files } from '@foldmesh/ports';
import { describe, expect, it, onTestFinished } from 'vitest';
import { byIdentity, defaultWitness } from './held-folder.ts';
import { systemFiles } from './system-files.ts';

const scene = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);

const listed = async (files: Files, path: string, entriesMax = 100) => {
  const entries = await files.list(path, entriesMax);
  return entries.ok ? entries.value : entries.fault;
};
const got = async (files: Files, path: string, bytesMax = 1_000) => {
  const read = await files.read(path, bytesMax);
  return read.ok ? { text: text(read.value.bytes), size: read.value.size } : read.fault;
};

describe.each([
  ['as this system does it', defaultWitness],
  ['where descriptors have no path', byIdentity],
])('systemFiles, %s', (_, witness) => {
  it('lists by code unit, with the bytes of files and links as links', async () => {
    const root = await scene();
    for (const name of ['b', 'B', 'a', 'Z', 'é', '10', '9']) await writeFile(join(root, name), name);
    await mkdir(join(root, 'dir'));
    await symlink('b', join(root, 'link'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(await listed(systemFiles(root, witness), '.')).toEqual([
      { name: '10', kind: 'file', bytes: 2 },
      { name: '9', kind: 'file', bytes: 1 },
      { name: 'B', kind: 'file', bytes: 1 },
      { name: 'Z', kind: 'file', bytes: 1 },
      { name: 'a', kind: 'file', bytes: 1 },
      { name: 'b', kind: 'file', bytes: 1 },
      { name: 'dir', kind: 'directory' },
      { name: 'link', kind: 'link' },
      { name: 'pipe', kind: 'other' },
      { name: 'é', kind: 'file', bytes: 2 },
    ]);
  });

  it('lists as many entries as were allowed and not one more', async () => {
    const root = await scene();
    for (let index = 0; index < 70; index += 1) await writeFile(join(root, `f${index}`), '');
    expect(await listed(systemFiles(root, witness), '.', 70)).toHaveLength(70);
    expect(await listed(systemFiles(root, witness), '.', 69)).toEqual({
      kind: 'overflow',
      detail: '. has more than 69 entries',
    });
  });

  it('reads at most what was asked, and says how long the file is', async () => {
    const root = await scene();
    await writeFile(join(root, 'a.txt'), 'hello');
    const files = systemFiles(root, witness);
    expect(await got(files, 'a.txt')).toEqual({ text: 'hello', size: 5 });
    expect(await got(files, 'a.txt', 3)).toEqual({ text: 'hel', size: 5 });
    expect(await got(files, 'a.txt', 0)).toEqual({ text: '', size: 5 });
  });

  it('says what is wrong with the words of who asked', async () => {
    const root = await scene();
    await writeFile(join(root, 'a.txt'), 'x');
    await mkdir(join(root, 'dir'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const files = systemFiles(root, witness);
    expect(await got(files, 'dir/none.txt')).toEqual({
      kind: 'invalid',
      detail: 'dir/none.txt is not there',
    });
    expect(await got(files, 'a.txt/b')).toEqual({ kind: 'invalid', detail: 'a.txt/b is not a directory' });
    expect(await got(files, './dir')).toEqual({ kind: 'invalid', detail: './dir is a directory' });
    expect(await got(files, 'pipe')).toEqual({ kind: 'invalid', detail: 'pipe is no regular file' });
    expect(await listed(files, 'none')).toEqual({ kind: 'invalid', detail: 'none is not there' });
    expect(await listed(files, 'a.txt')).toEqual({ kind: 'invalid', detail: 'a.txt is not a directory' });
    expect(await files.write('dir', bytes('x'))).toEqual({
      ok: false,
      fault: { kind: 'invalid', detail: 'dir is a directory' },
    });
    expect(await files.write('.', bytes('x'))).toEqual({
      ok: false,
      fault: { kind: 'invalid', detail: '. is a directory' },
    });
    expect(await files.write('a.txt/b', bytes('x'))).toMatchObject({ ok: false, fault: { kind: 'invalid' } });
  });

  it('never says where the root lies', async () => {
    const root = join(await scene(), 'gone');
    const files = systemFiles(root, witness);
    const said = JSON.stringify([
      await got(files, 'a'),
      await listed(files, '.'),
      await files.write('../a', bytes('')),
    ]);
    expect(said).not.toContain('foldmesh-files');
    expect(await got(files, 'a')).toEqual({ kind: 'invalid', detail: 'a is not there' });
  });

  it('has its root behind a link, and follows links that stay inside, as package managers make them', async () => {
    const base = await scene();
    await mkdir(join(base, 'real/node_modules/.store/zod'), { recursive: true });
    await writeFile(join(base, 'real/node_modules/.store/zod/LICENSE'), 'MIT');
    await symlink('.store/zod', join(base, 'real/node_modules/zod'));
    await symlink('real', join(base, 'root'));
    await symlink(join(base, 'real/node_modules'), join(base, 'real/absolute'));
    const files = systemFiles(join(base, 'root'), witness);
    expect(await got(files, 'node_modules/zod/LICENSE')).toEqual({ text: 'MIT', size: 3 });
    expect(await got(files, 'absolute/zod/LICENSE')).toEqual({ text: 'MIT', size: 3 });
    expect(await listed(files, 'node_modules/zod')).toEqual([{ name: 'LICENSE', kind: 'file', bytes: 3 }]);
    expect(await files.write('node_modules/zod/NOTICE', bytes('new'))).toEqual({ ok: true });
    expect(await readFile(join(base, 'real/node_modules/.store/zod/NOTICE'), 'utf8')).toBe('new');
  });
});
