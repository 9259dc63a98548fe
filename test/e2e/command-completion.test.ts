import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bench } from './command-line.ts';

const completing = (script: string, ...words: readonly string[]): readonly string[] => {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const { stdout, stderr } = spawnSync('bash', [
    '-c',
    `source '${script}'; COMP_WORDS=(foldmesh ${quoted}); COMP_CWORD=${words.length}; _foldmesh; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ]);
  expect(stderr.toString()).toBe('');
  return stdout
    .toString()
    .split('\n')
    .filter((word) => word !== '');
};

/** Whether a shell that this machine may have takes a script for one, without carrying it out. */
const parses = (shell: string, script: string): string | undefined => {
  const { error, status, stderr } = spawnSync(shell, ['-n', script]);
  return error !== undefined || status === 0 ? undefined : stderr.toString();
};

describe('foldmesh completion', () => {
  it.for(['bash', 'zsh', 'fish'])('prints a script that %s can read', async (shell) => {
    await using at = await bench();
    const { code, out, err } = await at.run(['completion', shell]);
    expect([code, err]).toEqual([0, '']);
    await at.write('script', out);
    expect(parses(shell, join(at.folder, 'script'))).toBeUndefined();
    // Every command is in it, whoever can read it here.
    const help = (await at.run(['--help'])).out;
    for (const [, name = ''] of help.matchAll(/^ {2}([a-z]+) (?:\[|<| )/gm)) expect(out).toContain(name);
  });

  it('completes commands, options, their choices, and what lies below a command', async () => {
    await using at = await bench();
    await at.write('script', (await at.run(['completion', 'bash'])).out);
    const script = join(at.folder, 'script');
    expect(completing(script, 'ca')).toEqual(['cancel', 'catalogue']);
    expect(completing(script, 'keys', '')).toEqual(expect.arrayContaining(['create', 'list', 'revoke']));
    expect(completing(script, 'new', 's')).toEqual(['skill']);
    expect(completing(script, 'get', '--j')).toEqual(['--json']);
    expect(completing(script, 'keys', 'create', '--role', 'o')).toEqual(['operate']);
    // Files are the shell's own.
    expect(completing(script, 'run', '')).toEqual([]);
    expect(completing(script, 'run', '--config', '')).toEqual([]);
  });
});
