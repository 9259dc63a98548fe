import { expect, it } from 'vitest';
import { adrs } from './adrs.ts';
import { findingsOf } from './fixture.ts';

it('passes pages numbered without gaps', () => {
  expect(
    findingsOf(adrs, { 'docs/adr/0001-a.md': '', 'docs/adr/0002-b.md': '', 'docs/adr/README.md': '' }),
  ).toEqual([]);
});

it('names a gap, a double number, and a page that is none', () => {
  expect(findingsOf(adrs, { 'docs/adr/0001-a.md': '', 'docs/adr/0003-b.md': '' })).toEqual([
    expect.stringContaining('expected 0002-'),
  ]);
  expect(findingsOf(adrs, { 'docs/adr/0001-a.md': '', 'docs/adr/0001-b.md': '' })).toHaveLength(1);
  expect(findingsOf(adrs, { 'docs/adr/0001-a.md': 'line\n'.repeat(121) })).toEqual([
    expect.stringContaining('more than a page'),
  ]);
});
