import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withLock } from './lock.mjs';
import { type Actor, folderForTest, startModule } from './scene.ts';

const lockModule = new URL('./lock.mjs', import.meta.url).href;

/** Takes the lock, says so, and gives it back when it is told anything. */
const holder = (folder: string): Actor =>
  startModule(`
    import { once } from 'node:events';
    import { withLock } from '${lockModule}';
    await withLock(${JSON.stringify(folder)}, async () => {
      console.log('have it');
      await once(process.stdin, 'data');
    }, { onWait: ({ pid }) => console.log('waiting for ' + pid) });
    console.log('gave it back');
    process.stdin.destroy();
  `);

const leaveBehind = (folder: string, owner: object): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'owner.json'), JSON.stringify(owner));
};

it('lets the second wait for the first, and says once for whom', async () => {
  const folder = join(folderForTest(), 'tools', 'lock');
  const first = holder(folder);
  await first.says('have it');
  const second = holder(folder);
  await second.says(`waiting for ${first.pid}`);
  expect(second.said()).not.toContain('have it');
  first.tell('go on');
  await second.says('have it');
  second.tell('go on');
  expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0]);
  expect(second.said().match(/waiting/g)).toHaveLength(1);
  expect(existsSync(folder)).toBe(false);
});

it('takes over what a killed process left', async () => {
  const folder = join(folderForTest(), 'lock');
  const first = holder(folder);
  await first.says('have it');
  first.kill('SIGKILL');
  await first.ended;
  expect(existsSync(folder)).toBe(true);
  expect(await withLock(folder, async () => 'mine')).toBe('mine');
  expect(existsSync(folder)).toBe(false);
});

it('is not fooled by a new process with the old number', async () => {
  const folder = join(folderForTest(), 'lock');
  leaveBehind(folder, { pid: process.pid, host: hostname(), started: 'long ago' });
  expect(await withLock(folder, async () => 'mine')).toBe('mine');
});

it('gives up on another machine only after its patience, in one sentence', async () => {
  const folder = join(folderForTest(), 'lock');
  leaveBehind(folder, { pid: 1, host: 'elsewhere', started: '' });
  const waited = withLock(folder, async () => 'mine', { waitMsMax: 0 });
  await expect(waited).rejects.toThrow(/^process 1 has held .* for too long; /);
});

it('gives the lock back when the work fails', async () => {
  const folder = join(folderForTest(), 'lock');
  const work = withLock(folder, () => Promise.reject(new Error('disk full')));
  await expect(work).rejects.toThrow('disk full');
  expect(existsSync(folder)).toBe(false);
});

it('lets one at a time in, also where many find the same dead owner', async () => {
  const root = folderForTest();
  const folder = join(root, 'lock');
  const log = join(root, 'log');
  leaveBehind(folder, { pid: spawnSync('true').pid, host: hostname(), started: '1' });
  const work = async (): Promise<void> => {
    appendFileSync(log, 'in ');
    await new Promise(setImmediate);
    appendFileSync(log, 'out ');
  };
  await Promise.all(Array.from({ length: 8 }, () => withLock(folder, work)));
  expect(readFileSync(log, 'utf8')).toBe('in out '.repeat(8));
});
