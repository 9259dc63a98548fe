import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { byIdentity, defaultWitness } from './held-folder.ts';
import { privateFiles, systemFiles } from './system-files.ts';

const scene = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-write-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);
const everything = (root: string) => readdir(root, { recursive: true });

describe.each([
  ['as this system does it', defaultWitness],
  ['where descriptors have no path', byIdentity],
])('writing, %s', (_, witness) => {
  it('makes the root and the folders it needs', async () => {
    const root = join(await scene(), 'out', 'job-1');
    expect(await systemFiles(root, witness).write('a/b/c.txt', bytes('hello'))).toEqual({ ok: true });
    expect(await readFile(join(root, 'a/b/c.txt'), 'utf8')).toBe('hello');
  });

  it('replaces the whole file and leaves nothing beside it', async () => {
    const root = await scene();
    const files = systemFiles(root, witness);
    await files.write('a.txt', bytes('a long first version'));
    await files.write('a.txt', bytes('short'));
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('short');
    expect(await everything(root)).toEqual(['a.txt']);
  });

  it('lets a reader see the old file or the new one, and never half of one', async () => {
    const root = await scene();
    const files = systemFiles(root, witness);
    const versions = ['a', 'b'].map((letter) => bytes(letter.repeat(300_000)));
    await files.write('big', versions[0] ?? bytes(''));
    let writing = true;
    const writer = (async () => {
      for (let round = 0; round < 40; round += 1) await files.write('big', versions[round % 2] ?? bytes(''));
      writing = false;
    })();
    let reads = 0;
    while (writing) {
      const read = await files.read('big', 1_000_000);
      if (!read.ok) throw new Error(read.fault.detail);
      const seen = new Set(read.value.bytes);
      expect([read.value.bytes.length, seen.size]).toEqual([300_000, 1]);
      reads += 1;
    }
    await writer;
    expect(reads).toBeGreaterThan(0);
  });

  it('writes side by side into folders that all of them have to make', async () => {
    const root = await scene();
    const files = systemFiles(root, witness);
    const names = Array.from({ length: 20 }, (__, index) => `deep/er/f${index}`);
    const written = await Promise.all(names.map((name) => files.write(name, bytes(name))));
    expect(written.every(({ ok }) => ok)).toBe(true);
    expect((await readdir(join(root, 'deep/er'))).sort()).toEqual(names.map((name) => name.slice(8)).sort());
  });

  it('writes through a link to a file inside, and keeps the link', async () => {
    const root = await scene();
    await writeFile(join(root, 'target'), 'old');
    await symlink('target', join(root, 'link'));
    expect(await systemFiles(root, witness).write('link', bytes('new'))).toEqual({ ok: true });
    expect(await readFile(join(root, 'target'), 'utf8')).toBe('new');
    expect((await lstat(join(root, 'link'))).isSymbolicLink()).toBe(true);
  });

  it('replaces no pipe and no folder behind a link', async () => {
    const root = await scene();
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await mkdir(join(root, 'dir'));
    await symlink('dir', join(root, 'link'));
    const files = systemFiles(root, witness);
    expect(await files.write('pipe', bytes('x'))).toMatchObject({
      fault: { kind: 'invalid', detail: 'pipe is no regular file' },
    });
    expect(await files.write('link', bytes('x'))).toMatchObject({
      fault: { kind: 'invalid', detail: 'link is a directory' },
    });
    expect((await lstat(join(root, 'pipe'))).isFIFO()).toBe(true);
  });

  it('takes a name as long as the file system allows', async () => {
    const root = await scene();
    expect(await systemFiles(root, witness).write('n'.repeat(255), bytes('x'))).toEqual({ ok: true });
    expect(await everything(root)).toEqual(['n'.repeat(255)]);
  });
});

describe('a private file', () => {
  it('may be read by its owner alone, whatever was there before', async () => {
    const root = await scene();
    await writeFile(join(root, 'old.txt'), 'old', { mode: 0o644 });
    for (const name of ['old.txt', 'new.txt']) {
      expect(await privateFiles(root).write(name, bytes('secret'))).toEqual({ ok: true });
      expect((await lstat(join(root, name))).mode & 0o777).toBe(0o600);
    }
  });
});

describe('a write that fails', () => {
  it('leaves the old file, no temporary one, and no new folder', async () => {
    const root = await scene();
    await mkdir(join(root, 'kept'));
    await writeFile(join(root, 'kept/a.txt'), 'old');
    // A child whose files may have 8 KiB: the write breaks off in the middle.
    const child = `
      import { systemFiles } from ${JSON.stringify(new URL('./system-files.ts', import.meta.url).href)};
      const files = systemFiles(process.argv[1]);
      const big = new Uint8Array(100_000);
      console.log(JSON.stringify([await files.write('kept/a.txt', big), await files.write('new/er/b.txt', big)]));`;
    const arguments_ = ['-C', '@foldmesh/source', '--input-type=module', '-e', child, root];
    const said = execFileSync(
      'bash',
      ['-c', `trap '' XFSZ; ulimit -f 8; exec "$0" "$@"`, process.execPath, ...arguments_],
      {
        encoding: 'utf8',
      },
    );
    const overflow = (path: string) => ({
      ok: false,
      fault: { kind: 'overflow', detail: `${path} is more than this file system holds in one file` },
    });
    expect(JSON.parse(said)).toEqual([overflow('kept/a.txt'), overflow('new/er/b.txt')]);
    expect(await everything(root)).toEqual(['kept', 'kept/a.txt']);
    expect(await readFile(join(root, 'kept/a.txt'), 'utf8')).toBe('old');
  });

  it('says that it may not', async () => {
    const root = await scene();
    await chmod(root, 0o555);
    // Root may write anywhere: a child gives that up first.
    const child = `
      import { systemFiles } from ${JSON.stringify(new URL('./system-files.ts', import.meta.url).href)};
      if (process.getuid() === 0) process.seteuid(65534);
      console.log(JSON.stringify(await systemFiles(process.argv[1]).write('a.txt', new Uint8Array(1))));`;
    const arguments_ = ['-C', '@foldmesh/source', '--input-type=module', '-e', child, root];
    const said = execFileSync(process.execPath, arguments_, { encoding: 'utf8' });
    expect(JSON.parse(said)).toMatchObject({ ok: false, fault: { kind: 'refused' } });
    expect(await everything(root)).toEqual([]);
  });
});
