import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ok } from '@foldmesh/envelope';
import { expect, it, onTestFinished } from 'vitest';
import { fileLock } from './file-lock.ts';

const scene = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-lock-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'new', '.a.lock');
};

it('lets one at a time work, and each of them', async () => {
  const path = await scene();
  let inside = 0;
  const work = async () => {
    inside += 1;
    expect(inside).toBe(1);
    await stat(path);
    inside -= 1;
    return ok('done');
  };
  const all = await Promise.all(Array.from({ length: 20 }, () => fileLock(path, work)));
  expect(all).toEqual(Array.from({ length: 20 }, () => ok('done')));
  expect(await stat(path)).toMatchObject({ size: 0 });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it('is given back by work that throws', async () => {
  const path = await scene();
  const failing = fileLock(path, async () => {
    throw new Error('a defect');
  });
  await expect(failing).rejects.toThrow('a defect');
  expect(await fileLock(path, async () => ok(1))).toEqual(ok(1));
});

it('is not had while another process has it, and is when that one has died without a word', async () => {
  const path = await scene();
  await fileLock(path, async () => ok(1));
  const hold = `const { DatabaseSync } = await import('node:sqlite');
    new DatabaseSync(process.argv[1]).exec('BEGIN EXCLUSIVE'); console.log('held'); setInterval(() => {}, 1e6);`;
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', hold, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  expect(await fileLock(path, async () => ok(1), 50)).toMatchObject({
    fault: { kind: 'unavailable', detail: '.a.lock is held by somebody else' },
  });
  const waiting = fileLock(path, async () => ok(2));
  holder.kill('SIGKILL');
  expect(await waiting).toEqual(ok(2));
});

it('says what is wrong with a place that can be no lock', async () => {
  const path = await scene();
  await fileLock(path, async () => ok(1));
  await writeFile(
    path,
    'not a lock, but somebody’s text, which is a good deal longer than any header is. '.repeat(20),
  );
  expect(await fileLock(path, async () => ok(1))).toMatchObject({
    fault: { kind: 'invalid', detail: expect.stringMatching(/^\.a\.lock is no lock/) },
  });
});
