import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { exitCodes } from '@foldmesh/cli';
import { expect, it } from 'vitest';
import { shellIn } from './command-examples.ts';
import { bench } from './command-line.ts';
import { commandMesh } from './command-mesh.ts';

const page = (name: string): Promise<string> => readFile(resolve(import.meta.dirname, '../..', name), 'utf8');

it('runs every block of shell in docs/command.md, one after the other', async () => {
  const blocks = [...(await page('docs/command.md')).matchAll(/```sh\n([\s\S]*?)```/g)].map(
    ([, block = '']) => block,
  );
  expect(blocks.length).toBeGreaterThan(4);
  await using at = await bench();
  const mesh = await commandMesh(at);
  const shell = await shellIn(at);
  for (const block of blocks) {
    const { code, err } = await shell(block, { FOLDMESH_URL: mesh.url });
    expect([block, code, code === 0 ? '' : err]).toEqual([block, 0, '']);
    // What the first block writes is there for the others.
    if (block.includes('foldmesh new')) await mesh.process.says(/reloaded: 1 skills/);
  }
});

it('has the table of exit codes that the command has', async () => {
  const rows = [...(await page('docs/command.md')).matchAll(/^\| (\d+) \| /gm)].map(([, code]) =>
    Number(code),
  );
  expect(rows).toEqual(Object.values(exitCodes));
});

it('runs what the README shows of the command, against the mesh that it starts', async () => {
  const readme = await page('README.md');
  const job = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const block = /```sh\n(\.\/foldmesh run[\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith('./foldmesh up'));
  expect(lines.length).toBeGreaterThan(4);
  await using at = await bench();
  await at.write('job.yaml', job);
  const mesh = await commandMesh(at);
  const shell = await shellIn(at);
  const { code, err } = await shell(lines.join('\n').replaceAll('./foldmesh', 'foldmesh'), {
    FOLDMESH_URL: mesh.url,
  });
  expect([code, code === 0 ? '' : err]).toEqual([0, '']);
});
