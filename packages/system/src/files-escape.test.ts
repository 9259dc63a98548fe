import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { byIdentity, defaultWitness } from './held-folder.ts';
import { systemFiles } from './system-files.ts';

const secret = 'the planted secret';

/** A workspace `ws` in the middle of what nobody in it may see: a secret above it and one in its sibling. */
const scene = async (witness = defaultWitness) => {
  const base = await mkdtemp(join(tmpdir(), 'foldmesh-escape-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const root = join(base, 'ws');
  for (const folder of ['ws/inner', 'ws-evil', 'outside', 'jobs/job-1', 'jobs/job-2']) {
    await mkdir(join(base, folder), { recursive: true });
  }
  for (const file of ['secret', 'ws-evil/secret', 'outside/secret', 'jobs/job-2/secret']) {
    await writeFile(join(base, file), secret);
  }
  // Not by a recursive walk, which would follow the links in the workspace.
  const outside = async () => {
    const folders = ['.', 'ws-evil', 'outside', 'jobs', 'jobs/job-1', 'jobs/job-2'];
    return Promise.all(folders.map(async (folder) => (await readdir(join(base, folder))).sort()));
  };
  const before = await outside();
  return {
    base,
    root,
    files: systemFiles(root, witness),
    /** Whatever was tried, outside the workspace all is as it was. */
    untouched: async (): Promise<void> => {
      expect(await outside()).toEqual(before);
      for (const file of ['secret', 'ws-evil/secret', 'outside/secret', 'jobs/job-2/secret']) {
        expect(await readFile(join(base, file), 'utf8')).toBe(secret);
      }
    },
  };
};

const bytes = new TextEncoder().encode('written');

/** C090, each way out of the workspace: reading, listing and writing are refused, and neither says where the root is. */
describe.each([
  ['as this system does it', defaultWitness],
  ['where descriptors have no path', byIdentity],
])('leaving the workspace (C090), %s', (_, witness) => {
  type Scene = Awaited<ReturnType<typeof scene>>;

  const refusesAll = async ({ base, files, untouched }: Scene, file: string, folder = file) => {
    const tried = [
      await files.read(file, 1_000),
      await files.list(folder, 100),
      await files.write(file, bytes),
    ];
    for (const result of tried) expect(result).toMatchObject({ ok: false, fault: { kind: 'refused' } });
    expect(JSON.stringify(tried)).not.toContain(secret);
    if (!file.includes(base)) expect(JSON.stringify(tried)).not.toContain(base);
    await untouched();
  };

  it('../', async () => refusesAll(await scene(witness), '../secret', '..'));
  it('../ further in', async () => refusesAll(await scene(witness), 'inner/../../secret', 'inner/../..'));
  it('a sibling of the same prefix', async () =>
    refusesAll(await scene(witness), '../ws-evil/secret', '../ws-evil'));
  it('a NUL byte', async () => refusesAll(await scene(witness), 'inner\0/../../secret'));
  it('a very long path', async () => refusesAll(await scene(witness), `${'a/'.repeat(50_000)}b`));
  it('a very long name', async () => refusesAll(await scene(witness), 'a'.repeat(100_000)));

  it('an absolute path, outside and inside', async () => {
    const here = await scene(witness);
    await refusesAll(here, join(here.base, 'secret'), here.base);
    await refusesAll(here, join(here.root, 'new'), here.root);
  });

  it("another job's workspace", async () => {
    const here = await scene(witness);
    const files = systemFiles(join(here.base, 'jobs/job-1'), witness);
    await refusesAll({ ...here, files }, '../job-2/secret', '../job-2');
  });

  it.each(['..%2fsecret', '%2e%2e/secret', '%2e%2e%2fsecret', '..\\secret', '..%c0%afsecret', '..∕secret'])(
    'an encoded ../ is a name: %s',
    async (path) => {
      const { root, files, untouched } = await scene(witness);
      expect(await files.read(path, 1_000)).toMatchObject({ ok: false, fault: { kind: 'invalid' } });
      expect(await files.write(path, bytes)).toEqual({ ok: true });
      expect(await readFile(join(root, path), 'utf8')).toBe('written');
      await untouched();
    },
  );

  it('a link to a file', async () => {
    const here = await scene(witness);
    await symlink('../secret', join(here.root, 'link'));
    await refusesAll(here, 'link');
  });

  it('a link to a folder', async () => {
    const here = await scene(witness);
    await symlink(join(here.base, 'outside'), join(here.root, 'link'));
    await refusesAll(here, 'link/secret', 'link');
  });

  it('a link to the sibling of the same prefix', async () => {
    const here = await scene(witness);
    await symlink('../ws-evil', join(here.root, 'link'));
    await refusesAll(here, 'link/secret', 'link');
  });

  it('a link that leads out and in again by another link', async () => {
    const here = await scene(witness);
    await symlink('inner/second', join(here.root, 'first'));
    await symlink('../../outside', join(here.root, 'inner/second'));
    await refusesAll(here, 'first/secret', 'first');
  });

  it('a link as the parent of a file that is not there yet', async () => {
    const { root, files, untouched } = await scene(witness);
    await symlink('../outside', join(root, 'link'));
    for (const path of ['link/new', 'link/a/b/new']) {
      expect(await files.write(path, bytes)).toMatchObject({ ok: false, fault: { kind: 'refused' } });
    }
    await untouched();
  });

  it('a link to a file that is not there yet', async () => {
    const { root, files, untouched } = await scene(witness);
    await symlink('../new', join(root, 'link'));
    await symlink('../new-folder', join(root, 'folder'));
    for (const path of ['link', 'folder/new']) {
      expect(await files.write(path, bytes)).toMatchObject({ ok: false, fault: { kind: 'refused' } });
    }
    await untouched();
  });

  it('links in a circle', async () => {
    const here = await scene(witness);
    await symlink('b', join(here.root, 'a'));
    await symlink('a', join(here.root, 'b'));
    await refusesAll(here, 'a');
  });

  it('the root of the machine through a link', async () => {
    const here = await scene(witness);
    await symlink('/', join(here.root, 'link'));
    await refusesAll(here, `link${here.base}/secret`, 'link');
  });

  it('new files in new folders are as legal as ever', async () => {
    const { root, files, untouched } = await scene(witness);
    expect(await files.write('a/b/c', bytes)).toEqual({ ok: true });
    expect(await readFile(join(root, 'a/b/c'), 'utf8')).toBe('written');
    await untouched();
  });
});

describe('what is no file', () => {
  it('does not hold the reader up', async () => {
    const { root, files } = await scene();
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(await files.read('pipe', 10)).toMatchObject({ ok: false, fault: { kind: 'invalid' } });
    expect(await files.list('pipe', 10)).toMatchObject({ ok: false, fault: { kind: 'invalid' } });
  });
});
