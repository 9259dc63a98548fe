import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Files } from '@foldmesh/ports';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemFiles } from './system-files.ts';

const secret = 'the planted secret';
const harmless = 'nothing to see here';
const bytes = new TextEncoder().encode('written');

/** How long links are swapped at most for both answers to turn up. */
const raceMs = 10_000;

const scene = async () => {
  const base = await mkdtemp(join(tmpdir(), 'foldmesh-race-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  for (const folder of ['ws/dir', 'outside']) await mkdir(join(base, folder), { recursive: true });
  await writeFile(join(base, 'outside/file'), secret);
  await writeFile(join(base, 'ws/dir/file'), harmless);
  return { base, root: join(base, 'ws'), files: systemFiles(join(base, 'ws')) };
};

/** Takes turns between the real folder and a link to the outside under one name, as fast as it can, until stopped. */
const swapFolder = async (root: string, racing: { on: boolean }): Promise<void> => {
  const name = join(root, 'dir');
  const aside = join(root, 'aside');
  while (racing.on) {
    await rename(name, aside);
    await symlink('../outside', name);
    await unlink(name);
    await rename(aside, name);
  }
};

/** The same for a file, never absent: each turn renames one over the other. */
const swapFile = async (root: string, racing: { on: boolean }): Promise<void> => {
  const name = join(root, 'dir/file');
  const next = join(root, 'dir/next');
  while (racing.on) {
    await symlink('../../outside/file', next);
    await rename(next, name);
    await writeFile(next, harmless);
    await rename(next, name);
  }
};

/** Calls `work` while `swap` runs, at least `rounds` times, and on until it has been answered in every way in `ways`. */
const race = async <T extends string>(
  swap: (racing: { on: boolean }) => Promise<void>,
  work: () => Promise<T>,
  ways: readonly T[],
): Promise<void> => {
  const racing = { on: true };
  const swapping = swap(racing);
  const seen = new Set<T>();
  const endsAt = performance.now() + raceMs;
  const isWhole = (): boolean => ways.every((way) => seen.has(way));
  try {
    for (let rounds = 0; rounds < 300 || (!isWhole() && performance.now() < endsAt); rounds += 1)
      seen.add(await work());
  } finally {
    racing.on = false;
    await swapping;
  }
  expect(ways.filter((way) => !seen.has(way))).toEqual([]);
};

const readOnce = async (files: Files, path: string) => {
  const read = await files.read(path, 1_000);
  if (!read.ok) return read.fault.kind;
  expect(new TextDecoder().decode(read.value.bytes)).toBe(harmless);
  return 'ok';
};

describe('a link swapped in between check and use (C090)', { timeout: 3 * raceMs }, () => {
  it('in the place of a folder never lets the secret be read', async () => {
    const { root, files } = await scene();
    await race(
      (racing) => swapFolder(root, racing),
      () => readOnce(files, 'dir/file'),
      ['ok', 'refused'],
    );
  });

  it('in the place of a file never lets the secret be read', async () => {
    const { root, files } = await scene();
    await race(
      (racing) => swapFile(root, racing),
      () => readOnce(files, 'dir/file'),
      ['ok', 'refused'],
    );
  });

  it('in the place of a folder never lets the outside be listed', async () => {
    const { base, root, files } = await scene();
    for (const name of ['one', 'two', 'three']) await writeFile(join(base, 'outside', name), secret);
    const listOnce = async () => {
      const listed = await files.list('dir', 100);
      if (!listed.ok) return listed.fault.kind;
      expect(listed.value).toEqual([{ name: 'file', kind: 'file', bytes: harmless.length }]);
      return 'ok';
    };
    await race((racing) => swapFolder(root, racing), listOnce, ['ok', 'refused']);
  });

  it('in the place of a folder never lets anything be written outside', async () => {
    const { base, root, files } = await scene();
    const writeOnce = async () => {
      const written = await files.write('dir/deep/new', bytes);
      return written.ok ? 'ok' : written.fault.kind;
    };
    const name = join(root, 'dir');
    const swap = async (racing: { on: boolean }): Promise<void> => {
      for (let round = 0; racing.on; round += 1) {
        // While the folder is away a write may make one of its own, in which case a step comes too late.
        await rename(name, join(root, `aside-${round}`)).catch(() => undefined);
        await symlink('../outside', name).catch(() => undefined);
        for (let looks = 0; looks < 3; looks += 1) await lstat(name).catch(() => undefined); // it stays for a while
        await unlink(name).catch(() => undefined);
        await mkdir(name).catch(() => undefined);
      }
    };
    await race(swap, writeOnce, ['ok', 'refused']);
    expect(await readdir(join(base, 'outside'))).toEqual(['file']);
    expect(await readFile(join(base, 'outside/file'), 'utf8')).toBe(secret);
  });

  it('in the place of the file itself never lets a write through it', async () => {
    const { base, root, files } = await scene();
    const writeOnce = async () => {
      const written = await files.write('dir/file', new TextEncoder().encode(harmless));
      return written.ok ? 'ok' : written.fault.kind;
    };
    await race((racing) => swapFile(root, racing), writeOnce, ['ok', 'refused']);
    expect(await readFile(join(base, 'outside/file'), 'utf8')).toBe(secret);
    expect((await readdir(join(root, 'dir'))).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
