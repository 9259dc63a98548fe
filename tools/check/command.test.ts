import { expect, it } from 'vitest';
import { start, startModule } from '../bootstrap/scene.ts';
import { run } from './command.ts';

it('keeps what a command prints, and its exit code', async () => {
  const finished = await run(['sh', '-c', 'echo "$WORD"; echo err >&2; exit 4'], {
    variables: { WORD: 'out' },
  });
  expect(finished.code).toBe(4);
  expect(finished.output).toContain('out\n');
  expect(finished.output).toContain('err\n');
});

it('finds the tools of the workspace', async () => {
  const { code, output } = await run(['biome', '--version']);
  expect([code, output]).toEqual([0, expect.stringContaining('2.')]);
});

it('makes a missing command a failure and a signal a number', async () => {
  expect(await run(['no-such-command'])).toMatchObject({
    code: 127,
    output: expect.stringContaining('ENOENT'),
  });
  expect(await run(['sh', '-c', 'kill -KILL $$'])).toMatchObject({ code: 137 });
});

it('takes the child along when it is told to stop', async () => {
  const actor = startModule(`
    import { run } from '${new URL('./command.ts', import.meta.url).href}';
    await run(['sh', '-c', 'echo ready $$; exec sleep 60'], { shown: true });
    console.log('never reached');
  `);
  await actor.says('ready');
  const child = Number(/ready (\d+)/.exec(actor.said())?.[1]);
  actor.kill('SIGTERM');
  expect(await actor.ended).toBe(143);
  expect(actor.said()).not.toContain('never reached');
  expect(await start(['kill', '-0', String(child)]).ended).not.toBe(0);
});
