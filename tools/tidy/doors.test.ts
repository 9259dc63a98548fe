import { expect, it } from 'vitest';
import { doors } from './doors.ts';
import { findingsOf } from './fixture.ts';

const conditions = (file: string) => ({
  '@foldmesh/source': `./src/${file}.ts`,
  types: `./dist/${file}.d.ts`,
  default: `./dist/${file}.js`,
});

const withDoors = (exports: unknown): string[] =>
  findingsOf(doors, {
    'packages/mid/package.json': JSON.stringify({ name: '@x/mid', exports }),
    'packages/mid/src/index.ts': '',
  });

it('passes the two doors that lead somewhere', () => {
  expect(withDoors({ '.': conditions('index') })).toEqual([]);
});

it.each([
  [{ './internal': conditions('internal') }, 'src/internal.ts is not there'],
  [{ './deep': conditions('deep') }, 'the door ./deep'],
  [{ '.': { default: './dist/index.js' } }, 'give it these three conditions'],
])('refuses %j', (exports, wrong) => {
  expect(withDoors(exports)).toEqual([expect.stringContaining(wrong)]);
});
