import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileLook, type Watched } from './file-look.ts';
import { keepReloading } from './keep-reloading.ts';

/** What happens between two looks, one after the other; then it ends. */
const reloadsDuring = async (
  folder: string,
  steps: readonly (() => Promise<unknown>)[],
  during: () => Promise<unknown> = () => Promise.resolve(),
): Promise<readonly number[]> => {
  const over = new AbortController();
  const watched: Watched = { files: [join(folder, 'one')], folders: [join(folder, 'none')] };
  const reloadedAt: number[] = [];
  let step = 0;
  const clock = {
    sleep: async (): Promise<void> => {
      if (step === steps.length) over.abort();
      await steps[step]?.();
      step += 1;
    },
  };
  const first = { watched, look: await fileLook(watched) };
  await keepReloading(first, clock, over.signal, async () => {
    reloadedAt.push(step);
    if (reloadedAt.length === 1) await during();
    return watched;
  });
  return reloadedAt;
};

const nothing = () => Promise.resolve();

it('reloads once what was written is whole, and not before', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-reload-'));
  const write = (text: string) => () => writeFile(join(folder, 'one'), text);
  expect(await reloadsDuring(folder, [nothing, nothing])).toEqual([]);
  // Two looks in a row have to agree: that after the third change is the fifth, the next one is the sixth.
  const steps = [nothing, write('a'), write('ab'), write('abc'), nothing, nothing, nothing];
  expect(await reloadsDuring(folder, steps)).toEqual([5]);
  await rm(folder, { recursive: true });
});

it('reloads again what changed while it was loading', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-reload-'));
  const steps = [() => writeFile(join(folder, 'one'), 'a'), nothing, nothing, nothing, nothing];
  const during = () => writeFile(join(folder, 'one'), 'longer');
  expect(await reloadsDuring(folder, steps, during)).toEqual([2, 3]);
  await rm(folder, { recursive: true });
});

it('sees a folder come', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-reload-'));
  const steps = [() => writeFile(join(folder, 'none'), ''), nothing, nothing];
  expect(await reloadsDuring(folder, steps)).toHaveLength(1);
  await rm(folder, { recursive: true });
});
