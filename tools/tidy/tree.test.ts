import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readTree } from './tree.ts';

it('reads what people wrote and walks past what is installed or built', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidy-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const path of [
    'a/src/x.ts',
    'a/dist/x.js',
    'a/node_modules/b/c.js',
    '.git/config',
    '.ci/run',
    'logo.png',
  ]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'text');
  }
  const tree = readTree(root);
  expect(tree.paths).toEqual(['.ci/run', 'a/src/x.ts']);
  expect(tree.text('a/src/x.ts')).toBe('text');
});
