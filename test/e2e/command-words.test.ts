import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { type Bench, bench } from './command-line.ts';
import { colourFiles, commandMesh, echoJob, jsonOf } from './command-mesh.ts';

const failing = (more: object): string =>
  JSON.stringify({
    name: 'failing',
    plan: {
      tasks: ['a', 'b', 'c'].map((id) => ({
        id,
        skill: 'debug.fail',
        input: { fault: 'invalid' },
        on_failure: 'skip',
      })),
      ...more,
    },
  });

const withSkill = async (at: Bench, body: string): Promise<void> => {
  await mkdir(join(at.folder, 'skills'));
  await at.write('foldmesh.yaml', 'skills: skills\n');
  await at.write(
    'skills/own.ts',
    `import { defineSkill, z } from '@foldmesh/sdk';\nexport const own = defineSkill({\n  name: 'own.text',\n  input: z.strictObject({ text: z.string() }),\n  run: async ({ text }) => {\n    ${body}\n  },\n});\n`,
  );
  await at.write(
    'own.yaml',
    'name: own\ninputs: { text: a }\nplan: { tasks: [{ id: a, skill: own.text, input: { text: "${inputs.text}" } }] }\n',
  );
};

describe('what the command says of a job', () => {
  it('is what it asks and how to answer it, into a pipe too', async () => {
    await using at = await bench();
    for (const folder of ['agents', 'scripts']) await mkdir(join(at.folder, folder));
    for (const [name, text] of Object.entries(colourFiles)) await at.write(name, text);
    const mesh = await commandMesh(at);
    const watching = mesh.start('submit', 'paint.yaml', '--watch');
    await watching.says(
      /^choose\.\S+ asks: Which colour\? \(red \| blue\)\n {2}foldmesh answer j-\w+ choose\.\S+$/m,
    );
    // A list may be a moment behind.
    const jobs = await eventually(async () => {
      const listed = JSON.parse((await mesh.run('list', '--json')).out).jobs;
      expect(listed).toHaveLength(1);
      return listed;
    });
    const { requests } = JSON.parse((await mesh.run('get', jobs[0].id, '--json')).out);
    await mesh.run('answer', jobs[0].id, requests[0].request, 'blue');
    expect(await watching.ended).toMatchObject({
      code: 0,
      out: 'blue\n',
      err: expect.stringMatching(/^choose\.\S+ was answered$/m),
    });
  });

  it('is which tasks a completed one is without, whoever asks', async () => {
    await using at = await bench();
    await at.write('job.yaml', failing({}));
    const mesh = await commandMesh(at);
    const job = (await mesh.run('submit', 'job.yaml')).out.trim();
    const gaps = 'completed without 3 of 3 tasks';
    expect((await mesh.run('watch', job)).err).toContain(`${gaps}: a failed: `);
    expect((await mesh.run('get', job)).out).toContain(`\n${gaps}\n`);
    expect((await mesh.run('why', job)).out).toContain(`  ${gaps}: a failed: `);
    await eventually(async () =>
      expect((await mesh.run('list')).out).toMatch(/ completed .* without 3 of its tasks$/m),
    );
    expect(jsonOf(await mesh.run('list', '--json')).jobs).toMatchObject([{ id: job, gaps: 3 }]);
  });

  it('is where its skill threw', async () => {
    await using at = await bench();
    await withSkill(at, "throw new Error('boom');");
    const said = /own\.text threw: Error: boom \(\S+skills\/own\.ts:6\)/;
    const ran = await at.run(['run', 'own.yaml']);
    expect([ran.code, ran.err]).toEqual([1, expect.stringMatching(said)]);
    expect(ran.err).not.toContain('    at ');
    const mesh = await commandMesh(at);
    const job = (await mesh.run('submit', 'own.yaml')).out.trim();
    await mesh.run('watch', job);
    expect((await mesh.run('get', job)).out).toMatch(said);
  });

  it('is that a skill has no journal of its own', async () => {
    await using at = await bench();
    await at.write('job.yaml', echoJob);
    const mesh = await commandMesh(at);
    const job = (await mesh.run('submit', 'job.yaml')).out.trim();
    await mesh.run('watch', job);
    const { code, err } = await mesh.run('journal', job, '--task', 'first');
    expect([code, err]).toEqual([
      4,
      `${job}: A skill has no journal of its own: what became of it is in its task, /v1/jobs/${job}/tasks/first at ${mesh.url}\n`,
    ]);
  });

  it('is that an input was read as JSON, where it may have been meant as text', async () => {
    await using at = await bench();
    await withSkill(at, 'return text.length;');
    const wrong = await at.run(['run', 'own.yaml', '--input', 'text=123']);
    expect([wrong.code, wrong.err.trimEnd().split('\n').at(-1)]).toEqual([
      1,
      '--input text was read as JSON, and is no text; for a text quote it twice: --input \'text="123"\'',
    ]);
    expect(await at.run(['run', 'own.yaml', '--input', 'text="123"'])).toMatchObject({ code: 0 });
  });
});

describe('what the command is asked', () => {
  it('is its version', async () => {
    await using at = await bench();
    expect(await at.run(['--version'])).toEqual({
      code: 0,
      out: expect.stringMatching(/^foldmesh \d+\.\d+\.\d+\n$/),
      err: '',
    });
  });

  it('may be a job on standard input', async () => {
    await using at = await bench();
    const mesh = await commandMesh(at);
    const main = join(import.meta.dirname, '../../packages/cli/src/main.ts');
    const given = (input: string, ...args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['-C', '@foldmesh/source', main, ...args],
        {
          cwd: at.folder,
          input,
          env: { PATH: process.env['PATH'], FOLDMESH_URL: mesh.url },
          encoding: 'utf8',
        },
      );
      return [status, stdout, stderr];
    };
    expect(given(echoJob, 'run', '-', '--input', 'word=servus').slice(0, 2)).toEqual([0, 'servus\n']);
    expect(given(echoJob, 'plan', '-')[0]).toBe(0);
    expect(given(echoJob, 'submit', '-')).toEqual([0, expect.stringMatching(/^j-\w+\n$/), '']);
    expect(given('name: a\nplan: { tasks: null }\n', 'plan', '-')).toEqual([
      2,
      '',
      'standard input:2: plan.tasks: must be a list of tasks; [] where there is nothing to do\n',
    ]);
  });

  it('is how many items a plan goes over, where it says so itself', async () => {
    await using at = await bench();
    const each = (id: string, items: unknown) => ({
      id,
      skill: 'debug.echo',
      input: '${item}',
      for_each: items,
    });
    const tasks = [each('known', [1, 2, 3]), each('later', '${tasks.known.output}')];
    await at.write('job.yaml', JSON.stringify({ name: 'j', plan: { tasks } }));
    const { code, out } = await at.run(['plan', 'job.yaml']);
    expect(code).toBe(0);
    expect(out).toContain('known ×3\n');
    expect(out).toContain('later ×n\n');
    expect(out).toMatch(/known {2}skill debug\.echo for each of 3, at most 64 side by side$/m);
  });
});
