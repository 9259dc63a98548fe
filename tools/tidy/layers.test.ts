import { expect, it } from 'vitest';
import { findingsOf } from './fixture.ts';
import { layers } from './layers.ts';

it('passes a repository whose packages depend downwards', () => {
  expect(findingsOf(layers, {})).toEqual([]);
});

it.each([
  ['of the same layer', '@x/vendor'],
  ['of a higher layer', '@x/top'],
])('names a dependency %s at its line', (_, name) => {
  const text = `{\n  "name": "@x/mid",\n  "dependencies": {\n    "${name}": "workspace:*"\n  }\n}`;
  expect(findingsOf(layers, { 'packages/mid/package.json': text })).toEqual([
    expect.stringMatching(`^packages/mid/package.json:4: layer 1 depends on ${name} of layer [12]; `),
  ]);
});

it('names a package that layers.json does not know', () => {
  expect(findingsOf(layers, { 'packages/new/package.json': '{"name":"@x/new"}' })).toEqual([
    expect.stringContaining('packages/new has no layer'),
  ]);
});
