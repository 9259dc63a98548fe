import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderForTest } from '../bootstrap/scene.ts';
import { run } from './command.ts';
import { typedFiles } from './typed-files.ts';

it('names the files that the compiler took as its own, and none that it did not', async () => {
  const root = folderForTest();
  mkdirSync(join(root, 'src'));
  for (const name of ['a', 'b', 'c', 'left-out'])
    writeFileSync(join(root, 'src', `${name}.ts`), `export const ${name[0]} = 1;\n`);
  const settings = { composite: true, outDir: 'dist', types: [], tsBuildInfoFile: 'dist/.tsbuildinfo' };
  const config = { compilerOptions: settings, include: ['src'], exclude: ['src/left-out.ts'] };
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify(config));
  expect(await run(['tsc', '-b', root])).toEqual({ code: 0, output: '' });
  const names = [...typedFiles([join(root, 'dist', '.tsbuildinfo')])].map((path) => path.replace(/.*\//, ''));
  expect(names.sort()).toEqual(['a.ts', 'b.ts', 'c.ts']);
});

it('knows nothing where nothing was built', () => {
  expect(typedFiles([join(folderForTest(), '.tsbuildinfo')]).size).toBe(0);
});
