import { describe, expect, it } from 'vitest';
import { findingsOf } from './fixture.ts';
import { imports } from './imports.ts';

const inMid = (text: string, path = 'packages/mid/src/a.ts'): string[] =>
  findingsOf(imports, { [path]: text });

it.each([
  "import { a } from '@x/low';",
  "import type { A } from '@x/low';",
  "import { b } from './b.ts';",
  "import { readFileSync } from 'node:fs';",
])('lets %s pass', (text) => {
  expect(inMid(text)).toEqual([]);
});

it.each([
  ["import { a } from '@x/vendor';", 'layer 1 imports @x/vendor of layer 1'],
  ["import type { A } from '@x/top';", 'layer 1 imports @x/top of layer 2'],
  ["export { a } from '@x/top';", 'layer 1 imports @x/top of layer 2'],
  ["const a = await import('@x/top');", 'layer 1 imports @x/top of layer 2'],
  ["type A = import('@x/top').A;", 'layer 1 imports @x/top of layer 2'],
  ["import { a } from '@x/mid';", 'a package does not import itself by name'],
  ["import { a } from '@x/low/src/a.ts';", '@x/low/src/a.ts is no door'],
  ["import { a } from '@x/low/internal';", '@x/low/internal is a door for tests'],
  ["import { a } from '../../low/src/a.ts';", 'reaches into another package'],
  ["import { z } from 'zod';", 'zod is not declared'],
  ["import { it } from 'vitest';", 'vitest is not declared'],
  ["import { connect } from 'vendor-client';", 'only packages/vendor may import vendor-client'],
])('refuses %s', (text, wrong) => {
  const [finding, ...others] = inMid(`\n${text}`);
  expect(finding).toMatch(/^packages\/mid\/src\/a\.ts:2: /);
  expect(finding).toContain(wrong);
  expect(others).toEqual([]);
});

it('opens the inner door and the test tools to tests', () => {
  const text = "import { a } from '@x/low/internal';\nimport { it } from 'vitest';";
  expect(inMid(text, 'packages/mid/src/a.test.ts')).toEqual([]);
});

it('lets the one package that may import a client import it', () => {
  expect(inMid("import { connect } from 'vendor-client';", 'packages/vendor/src/a.ts')).toEqual([]);
});

describe('what stands in bench', () => {
  const inBench = (text: string): string[] => findingsOf(imports, { 'bench/layers/a.ts': text });

  it('may go through an inner door, for it measures what lies behind', () => {
    expect(inBench("import { a } from '@x/mid/internal';")).toEqual([]);
  });

  it.each([
    ["import { a } from '@x/low';", '@x/low is not declared; add it to bench/package.json'],
    ["import { connect } from 'vendor-client';", 'only packages/vendor may import vendor-client'],
    ["import { a } from '@x/mid/src/a.ts';", '@x/mid/src/a.ts is no door'],
    ["import { a } from '../../packages/mid/src/a.ts';", 'reaches into another package'],
  ])('is refused %s like everybody else', (text, wrong) => {
    expect(inBench(text)).toEqual([expect.stringContaining(wrong)]);
  });
});
