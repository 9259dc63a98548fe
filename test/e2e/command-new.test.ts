import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { bench } from './command-line.ts';
import { commandMesh } from './command-mesh.ts';

const kinds = ['skill', 'tool', 'agent', 'pipeline', 'job'] as const;

/** What each job says as it was written, the parts that follow from where it ran left out. */
const results: Readonly<Record<(typeof kinds)[number], unknown>> = {
  skill: { words: 3 },
  tool: { text: 'reward' },
  agent: { summary: 'A text that says: one two three' },
  pipeline: { text: expect.stringMatching(/^In \. there are: .*"foldmesh\.yaml"/) },
  job: { first: ['one', 'two', 'three'], each: [{ word: 'one' }, { word: 'two' }, { word: 'three' }] },
};

describe('foldmesh new', () => {
  it('writes what runs as it stands, one beside the other, and imports the sdk alone', async () => {
    await using at = await bench();
    for (const kind of kinds) {
      const made = await at.run(['new', kind, `my.${kind}`, '--json']);
      expect([kind, made.code, made.err]).toEqual([kind, 0, `run it: foldmesh run my-${kind}.job.yaml\n`]);
      const { files } = JSON.parse(made.out);
      for (const file of files.filter((name: string) => name.endsWith('.ts'))) {
        const text = await readFile(join(at.folder, file), 'utf8');
        expect([...text.matchAll(/from '(.*)'/g)].map(([, name]) => name)).toEqual(['@foldmesh/sdk']);
      }
    }
    for (const kind of kinds) {
      const { code, out, err } = await at.run(['run', `my-${kind}.job.yaml`]);
      expect([kind, code, code === 0 ? '' : err]).toEqual([kind, 0, '']);
      expect(JSON.parse(out)).toEqual(results[kind]);
    }
  });

  it('takes any name that is one, whatever YAML or TypeScript would make of it', async () => {
    await using at = await bench();
    const names = { agent: 'true', pipeline: 'null.e1', skill: 'delete', tool: '1st_a-b' };
    for (const [kind, name] of Object.entries(names)) {
      expect((await at.run(['new', kind, name])).code).toBe(0);
      const { code, err } = await at.run(['run', `${name.replaceAll('.', '-')}.job.yaml`]);
      expect([kind, code, code === 0 ? '' : err]).toEqual([kind, 0, '']);
    }
  });

  it('writes nothing over what is there, and nothing at all beside it', async () => {
    await using at = await bench();
    await at.write('mine.job.yaml', 'mine');
    const { code, out, err } = await at.run(['new', 'skill', 'mine']);
    expect([code, out, err]).toEqual([2, '', 'mine.job.yaml is there already; nothing was written\n']);
    expect(await readFile(join(at.folder, 'mine.job.yaml'), 'utf8')).toBe('mine');
    expect(existsSync(join(at.folder, 'skills'))).toBe(false);
    expect(existsSync(join(at.folder, 'foldmesh.yaml'))).toBe(false);
  });

  it('keeps what the configuration says, and takes the folder that it names', async () => {
    await using at = await bench();
    await at.write('foldmesh.yaml', '# ours\nskills: code\nlog: error');
    await at.run(['new', 'skill', 'one']);
    await at.run(['new', 'tool', 'two']);
    expect(existsSync(join(at.folder, 'code/one.ts'))).toBe(true);
    expect(await readFile(join(at.folder, 'foldmesh.yaml'), 'utf8')).toBe(
      '# ours\nskills: code\nlog: error\ntools: tools\n',
    );
  });

  it.for([
    [['new', 'skill', 'no/name'], /^"no\/name" is no name: a name is words of letters/],
    [['new', 'robot', 'r'], /^there is no kind robot; there are skill, /],
    [['new', 'skill', 'debug.echo'], /^foldmesh itself defines the skill debug\.echo: choose another name$/],
    [['new', 'tool', 'files.read'], /^foldmesh itself defines the tool files\.read: choose another name$/],
    [['new', 'skill'], /^missing required argument 'name'$/],
  ] as const)('says in one sentence what is wrong with %j', async ([args, says]) => {
    await using at = await bench();
    const { code, out, err } = await at.run(args);
    expect([code, out]).toEqual([2, '']);
    expect(err.trimEnd()).toMatch(says);
  });
});

describe('foldmesh up, when its files change', () => {
  it('runs a skill as it is written now, and one that has come, without losing a job', async () => {
    await using at = await bench();
    await at.run(['new', 'skill', 'words.count']);
    await at.write(
      'sleep.yaml',
      'name: s\nplan: { tasks: [{ id: a, skill: debug.sleep, input: { ms: 4000 } }] }\n',
    );
    const mesh = await commandMesh(at);
    const before = await mesh.run('submit', 'words-count.job.yaml', '--watch');
    expect(JSON.parse(before.out)).toEqual({ words: 3 });
    const running = (await mesh.run('submit', 'sleep.yaml')).out.trim();
    const file = join('skills', 'words-count.ts');
    const text = await readFile(join(at.folder, file), 'utf8');
    await at.write('more.ts', 'export const more: number = 100;\n');
    await at.write(
      file,
      `import { more } from '../more.ts';\n${text.replace('({ words: text', '({ words: more + text')}`,
    );
    await mesh.process.says(/reloaded: 1 skills/);
    const after = await mesh.run('submit', 'words-count.job.yaml', '--watch');
    expect(JSON.parse(after.out)).toEqual({ words: 103 });
    // What a skill imports by a path is part of it.
    await at.write('more.ts', 'export const more: number = 200;\n');
    await eventually(
      async () => {
        const { out } = await mesh.run('submit', 'words-count.job.yaml', '--watch');
        expect(JSON.parse(out)).toEqual({ words: 203 });
      },
      { withinMs: 45_000 },
    );
    expect((await at.run(['new', 'tool', 'turn'])).code).toBe(0);
    await mesh.process.says(/reloaded: 1 skills, 1 tools/);
    const turned = await mesh.run('submit', 'turn.job.yaml', '--watch');
    expect(JSON.parse(turned.out)).toEqual({ text: 'reward' });
    expect((await mesh.run('watch', running)).code).toBe(0);
  });

  it('goes on with what it had where a file cannot be loaded, and says what is wrong with it', async () => {
    await using at = await bench();
    await at.run(['new', 'skill', 'words.count']);
    const mesh = await commandMesh(at);
    const file = join('skills', 'words-count.ts');
    const text = await readFile(join(at.folder, file), 'utf8');
    await at.write(file, `${text}export const broken = (\n`);
    await mesh.process.says(/^skills\/words-count\.ts does not load: SyntaxError: .*\nnot reloaded/m);
    const { out } = await mesh.run('submit', 'words-count.job.yaml', '--watch');
    expect(JSON.parse(out)).toEqual({ words: 3 });
    await at.write(file, text.replace('({ words: text', '({ words: 1 + text'));
    await mesh.process.says(/reloaded: 1 skills/);
    const mended = await mesh.run('submit', 'words-count.job.yaml', '--watch');
    expect(JSON.parse(mended.out)).toEqual({ words: 4 });
    await at.write('foldmesh.yaml', 'skills: skills\nack_wait_ms: 7000\n');
    await mesh.process.says(/ack_wait_ms: a change takes effect when this process is started again/);
    mesh.process.process.kill('SIGINT');
    expect((await mesh.process.ended).code).toBe(0);
  });
});
