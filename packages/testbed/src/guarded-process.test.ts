import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { childProcess } from './child-process.ts';
import { eventually } from './eventually.ts';

/** Starts a module of its own, which has the testbed's functions at hand and says with what it began. */
const testProcess = (script: string) => {
  const module = new URL('./index.ts', import.meta.url).href;
  const text = `import { childProcess, natsServer } from '${module}';\n${script}`;
  return childProcess([process.execPath, '-C', '@foldmesh/source', '--input-type=module', '-e', text]);
};

/** Whoever adopts an orphan may take its time to bury it. */
const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
};

it('ends a process, and what it started, with a test process that is killed', async () => {
  await using parent = await testProcess(`
    const child = await childProcess(['sh', '-c', 'sleep 60 & echo "began $!"; wait']);
    console.log('began ' + child.pid, await child.says('began'));
    await child.ended;
  `);
  const pids = [...(await parent.says('began')).matchAll(/\d+/g)].map(([pid]) => Number(pid));
  expect(pids.map(isGone)).toEqual([false, false]);
  parent.kill('SIGKILL');
  expect(await parent.ended).toBe('SIGKILL');
  await eventually(() => pids.every(isGone));
});

it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
  'ends a server, and what it stored, after %s',
  async (signal) => {
    await using parent = await testProcess(`
    const server = await natsServer();
    console.log('began', server.pid, server.folder);
    setInterval(() => undefined, 1000);
  `);
    const [, pid, folder = ''] = (await parent.says('began')).split(' ');
    expect([isGone(Number(pid)), existsSync(folder)]).toEqual([false, true]);
    parent.kill(signal);
    await parent.ended;
    await eventually(() => isGone(Number(pid)) && !existsSync(folder));
  },
);

it('lets a test process end that forgot its server', async () => {
  await using parent = await testProcess(`console.log('began', (await natsServer()).pid);`);
  const pid = Number((await parent.says('began')).split(' ')[1]);
  expect(await parent.ended).toBe(0);
  await eventually(() => isGone(pid));
});
