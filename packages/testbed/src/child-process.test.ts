import { readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { childProcess } from './child-process.ts';
import { eventually } from './eventually.ts';

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

it('tells what a command says on either stream, and how it ends', async () => {
  await using child = await childProcess(['sh', '-c', 'echo "out $WORD"; echo err >&2; exit 4'], {
    env: { PATH: process.env['PATH'], WORD: 'here' },
  });
  expect(await child.says(/^out (\w+)$/)).toBe('out here');
  expect(await child.says('err')).toBe('err');
  expect(await child.ended).toBe(4);
  expect([child.out(), child.err()]).toEqual(['out here\n', 'err\n']);
});

it('runs where it is told to, and hears what it is told', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'foldmesh-child-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  await using child = await childProcess(['sh', '-c', 'pwd; read line; echo "heard $line"'], { cwd: folder });
  await child.says(folder);
  child.tell('hello\n');
  await child.says('heard hello');
});

it('fails in one sentence where a command never says it, says it too late, or is not there', async () => {
  await using quick = await childProcess(['sh', '-c', 'echo something'], { name: 'quick' });
  await expect(quick.says('else')).rejects.toThrow('quick never said else (it ended with 0): something');
  await using slow = await childProcess(['sleep', '60']);
  await expect(slow.says('ever', 20)).rejects.toThrow('sleep never said ever (not within 20 ms)');
  await expect(childProcess(['no-such-command'])).rejects.toThrow('no-such-command cannot be started');
});

it('passes signals on, and names the one that ended it', async () => {
  await using child = await childProcess(['sleep', '60']);
  child.kill('SIGINT');
  expect(await child.ended).toBe('SIGINT');
  child.kill();
});

it('takes along what the command started', async () => {
  const child = await childProcess(['sh', '-c', 'sleep 60 & echo "started $!"; wait']);
  const pid = Number((await child.says('started')).split(' ')[1]);
  expect(isThere(pid)).toBe(true);
  await child[Symbol.asyncDispose]();
  await eventually(() => !isThere(pid) || isZombie(pid));
});

// Whoever adopts an orphan may take its time to bury it.
const isZombie = (pid: number): boolean => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
