import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { bench } from './command-line.ts';

const blocks = async (language: string): Promise<readonly string[]> => {
  const text = await readFile(resolve(import.meta.dirname, '../../docs/job.md'), 'utf8');
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, block]) => block ?? '',
  );
};

it('runs every job of docs/job.md as it stands there', async () => {
  const jobs = await blocks('yaml');
  expect(jobs.length).toBeGreaterThan(1);
  for (const text of jobs) {
    await using at = await bench();
    await at.write('job.yaml', text);
    const { code, err, out } = await at.run(['run', 'job.yaml']);
    expect([code, code === 0 ? '' : err]).toEqual([0, '']);
    expect(out).not.toBe('null\n');
    // Whatever could be looked up was.
    expect(out).not.toContain('${');
  }
});

it('runs the agent of docs/job.md, by its script and with its tool', async () => {
  await using at = await bench();
  for (const [language, path] of [
    ['ts', 'tools/lines.ts'],
    ['yaml', 'agents/counter.yaml'],
    ['yaml', 'scripts/counter.yaml'],
  ] as const) {
    const [text = ''] = await blocks(`${language} ${path}`);
    expect([path, text]).not.toEqual([path, '']);
    await mkdir(dirname(join(at.folder, path)), { recursive: true });
    await at.write(path, text);
  }
  await at.write('foldmesh.yaml', 'tools: tools\nagents: agents\nscripts: scripts\n');
  const task = { id: 'n', agent: 'counter', input: { text: 'one\ntwo' } };
  await at.write(
    'job.yaml',
    JSON.stringify({ name: 'lines', plan: { tasks: [task], result: '${tasks.n.output.lines}' } }),
  );
  const { out, err } = await at.run(['run', 'job.yaml']);
  expect([out, out === '2\n' ? '' : err]).toEqual(['2\n', '']);
});

it('loads the skill of docs/job.md, and it does what it says', async () => {
  const [skill = ''] = await blocks('ts');
  await using at = await bench();
  await mkdir(join(at.folder, 'skills'));
  await at.write('skills/words.ts', skill);
  await at.write('foldmesh.yaml', 'skills: skills\n');
  await at.write('three.txt', 'one two three');
  await at.write(
    'job.yaml',
    'name: words\nplan:\n  tasks: [{ id: n, skill: words.count, input: { path: three.txt } }]\n  result: "${tasks.n.output.words}"\n',
  );
  expect((await at.run(['run', 'job.yaml'])).out).toBe('3\n');
});
