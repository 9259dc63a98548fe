import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { folderForTest } from '../../bootstrap/scene.ts';
import { run } from '../command.ts';
import { type Summary, summaryVariable } from '../summary.ts';

/** Runs vitest over these files, in a folder of its own, and reads what the reporter left. */
const summaryOf = async (files: Readonly<Record<string, string>>): Promise<Summary> => {
  const root = folderForTest();
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(root, name), `import { afterAll, describe, expect, it } from 'vitest';\n${text}`);
  }
  const path = join(root, 'summary.json');
  const reporter = join(import.meta.dirname, 'summary.ts');
  await run(['vitest', 'run', '--root', root, '--reporter', reporter], {
    variables: { [summaryVariable]: path },
  });
  return JSON.parse(readFileSync(path, 'utf8'));
};

it('counts what passed, and names what failed and what was skipped', async () => {
  const summary = await summaryOf({
    'a.test.ts': `
      describe('a suite', () => {
        it('passes', () => {});
        it('fails', () => expect(1).toBe(2));
        it.skip('is left out', () => {});
        it('leaves itself out', ({ skip }) => skip('no server'));
        it.todo('is to come');
      });
    `,
    'broken.test.ts': "import './nowhere.ts';",
    'torn-down.test.ts': "it('passes', () => {});\nafterAll(() => { throw new Error('cannot close'); });",
    'stray.test.ts':
      "it('passes', () => {});\nsetTimeout(() => { throw new Error('nobody waits'); });\nawait new Promise((done) => setTimeout(done, 50));",
  });
  expect(summary.passed).toBe(3);
  expect(summary.skipped).toEqual([
    'a suite > is left out',
    'a suite > leaves itself out (no server)',
    'a suite > is to come',
  ]);
  expect(summary.failed.map(({ file, test }) => `${file} ${test ?? ''}`.trim()).sort()).toEqual([
    'a stray error',
    'a.test.ts a suite > fails',
    'broken.test.ts',
    'torn-down.test.ts',
  ]);
});
