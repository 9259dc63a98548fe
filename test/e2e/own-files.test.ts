import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, recordIn } from './command-line.ts';

/** A folder somewhere, with a file of skills and nothing else of ours. */
const withSkills = async (code: string): Promise<Bench> => {
  const at = await bench();
  await mkdir(join(at.folder, 'skills'));
  await at.write('foldmesh.yaml', 'skills: skills\n');
  await at.write('skills/own.ts', `import { defineSkill, z } from '@foldmesh/sdk';\n${code}`);
  return at;
};

const job = (skill: string, more = ''): string =>
  `name: own\ninputs: { text: a b c }\nplan:\n  tasks:\n    - { id: n, skill: ${skill}, input: { text: "\${inputs.text}" } }\n${more}  result: "\${tasks.n.output}"\n`;

describe('files of a user, anywhere', () => {
  it('may import the sdk where nothing is installed', async () => {
    await using at = await withSkills(
      "export const count = defineSkill({ name: 'own.count', input: z.strictObject({ text: z.string() }), run: async ({ text }) => text.split(' ').length });\n",
    );
    await at.write('job.yaml', job('own.count'));
    const { code, out, err } = await at.run(['run', 'job.yaml']);
    expect([code, out, code === 0 ? '' : err]).toEqual([0, '3\n', '']);
  });

  it.for([
    ['ends the process', 'process.exit(0)', /something ended this process/],
    [
      'leaves a rejection behind',
      "void Promise.reject(new Error('stray')); await new Promise(() => {})",
      /something threw that nobody awaits.*stray/,
    ],
  ] as const)('do not pass a job for done when a skill %s', async ([, body, says]) => {
    await using at = await withSkills(
      `export const bad = defineSkill({ name: 'own.bad', input: z.unknown(), run: async () => { ${body}; } });\n`,
    );
    await at.write('job.yaml', job('own.bad'));
    const { code, err } = await at.run(['run', 'job.yaml']);
    expect(code).toBe(1);
    expect(err).toMatch(says);
  });
});

describe('foldmesh run, for whoever looks', () => {
  it('refuses an input that the job does not have', async () => {
    await using at = await bench();
    await at.write('job.yaml', job('debug.echo'));
    const { code, out, err } = await at.run(['run', 'job.yaml', '--input', 'txt=1']);
    expect([code, out, err]).toEqual([2, '', '--input txt: the job has no such input; there are text\n']);
  });

  it('says which tasks a completed job is without, and where its files are', async () => {
    await using at = await bench();
    await at.write(
      'job.yaml',
      job(
        'debug.echo',
        '    - { id: f, skill: debug.fail, input: { fault: invalid }, on_failure: skip }\n    - { id: w, tool: files.write, input: { path: a.txt, text: hi } }\n',
      ),
    );
    const ended = await at.run(['run', 'job.yaml', '--json']);
    expect(ended.code).toBe(0);
    expect(ended.err).toContain('completed without 1 of 3 tasks: f failed: debug.fail in attempt 1');
    expect(ended.err).toContain(`files: ${join(at.folder, 'out', 'local', recordIn(ended).id)}`);
  });

  it('goes on when its reader has gone away', async () => {
    await using at = await bench();
    await at.write('job.yaml', job('debug.echo'));
    const main = resolve(import.meta.dirname, '../../packages/cli/src/main.ts');
    const child = spawn(process.execPath, ['-C', '@foldmesh/source', main, 'run', 'job.yaml'], {
      cwd: at.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let err = '';
    child.stderr.on('data', (bytes: Buffer) => {
      err += bytes.toString();
    });
    const code = await new Promise((done) => child.on('close', done));
    expect([code, /EPIPE/.test(err)]).toEqual([0, false]);
  });
});
