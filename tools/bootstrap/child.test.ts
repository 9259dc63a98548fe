import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runChild } from './child.mjs';
import { type Actor, start, startModule } from './scene.ts';

const childModule = new URL('./child.mjs', import.meta.url).href;

// Counts what reaches it, and ends on its own a moment after the first, so that a second would be seen.
const counting = `
  let count = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      count += 1;
      if (count === 1) setTimeout(() => { console.log('got ' + count + ' ' + signal); process.exit(3); }, 200);
    });
  }
  setInterval(() => {}, 1000);
  console.log('ready');
`;

const parent = `
  import { runChild } from '${childModule}';
  const { code } = await runChild([process.execPath, '-e', ${JSON.stringify(counting)}]);
  process.exitCode = code;
`;

it('returns the exit code, and what was printed where that is kept', async () => {
  const command = [process.execPath, '-e', 'console.log("out"); console.error("err"); process.exit(7)'];
  const { code, output } = await runChild(command, { kept: true });
  expect(code).toBe(7);
  expect(output).toContain('out');
  expect(output).toContain('err');
});

it('returns 128 + n for a child that a signal ended', async () => {
  expect(await runChild(['sh', '-c', 'kill -TERM $$'])).toMatchObject({ code: 143 });
  expect(await runChild(['sh', '-c', 'kill -KILL $$'])).toMatchObject({ code: 137 });
});

it('returns 128 + n for a kept child that makes something else of a signal', async () => {
  const actor = startModule(`
    import { runChild } from '${childModule}';
    const running = runChild(['sh', '-c', 'trap "exit 1" TERM; sleep 60 >/dev/null 2>&1 & wait'], { kept: true });
    process.stdout.write('started');
    process.exitCode = (await running).code;
  `);
  await actor.says('started');
  actor.kill('SIGTERM');
  expect(await actor.ended).toBe(143);
});

it('says of a command that is not there that it failed', async () => {
  expect(await runChild(['no-such-command'])).toMatchObject({
    code: 127,
    failed: expect.stringContaining('ENOENT'),
  });
});

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'passes %s on once and ends as the child does',
  async (signal) => {
    const actor = startModule(parent);
    await actor.says('ready');
    actor.kill(signal);
    expect(await actor.ended).toBe(3);
    expect(actor.said()).toContain(`got 1 ${signal}`);
  },
);

/**
 * `script` gives a terminal to talk through; it is part of every Debian. Its shell has to make room: one that stays is in
 * the foreground group too, and where it is dash, Ctrl-C ends it before its child.
 */
const onTerminal = (): Actor => {
  const quoted = parent.replaceAll("'", `'\\''`);
  const command = `exec '${process.execPath}' --input-type=module -e '${quoted}'`;
  return start(['script', '-qec', command, '/dev/null'], { env: { ...process.env, SHELL: '/bin/sh' } });
};

// Where there is no `script` there is no terminal to press Ctrl-C on.
it.skipIf(!existsSync('/usr/bin/script'))('leaves Ctrl-C on a terminal to the terminal', async () => {
  const actor = onTerminal();
  await actor.says('ready');
  actor.tell('\x03');
  expect(await actor.ended).toBe(3);
  expect(actor.said()).toContain('got 1 SIGINT');
});
