import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderForTest } from './scene.ts';
import { readStamp, stampOf, writeStamp } from './stamp.mjs';

const workspace = (): string => {
  const root = folderForTest();
  for (const folder of ['packages/a', 'packages/b', 'test', 'node_modules']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  writeFileSync(join(root, 'pnpm-workspace.yaml'), "packages:\n  - packages/*\n  - 'test'\n\nother: true\n");
  for (const path of ['pnpm-lock.yaml', 'package.json', 'packages/a/package.json', 'test/package.json']) {
    writeFileSync(join(root, path), '{}');
  }
  return root;
};

it('is the same for the same files', () => {
  const root = workspace();
  expect(stampOf(root, '24.0.0')).toBe(stampOf(root, '24.0.0'));
});

it.each([
  'pnpm-lock.yaml',
  'package.json',
  'packages/a/package.json',
  'packages/b/package.json',
  'test/package.json',
])('changes with %s', (path) => {
  const root = workspace();
  const before = stampOf(root, '24.0.0');
  writeFileSync(join(root, path), '{ "changed": true }');
  expect(stampOf(root, '24.0.0')).not.toBe(before);
});

it('changes with Node, whose packages may differ', () => {
  const root = workspace();
  expect(stampOf(root, '24.0.0')).not.toBe(stampOf(root, '24.0.1'));
});

it('is read back, and goes with node_modules', () => {
  const root = workspace();
  expect(readStamp(root)).toBeUndefined();
  writeStamp(root, 'stamp');
  expect(readStamp(root)).toBe('stamp');
});
