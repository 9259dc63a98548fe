import { expect, it } from 'vitest';
import { findingsOf } from './fixture.ts';
import { links } from './links.ts';

const inReadme = (text: string): string[] =>
  findingsOf(links, {
    'README.md': text,
    'docs/a.md': '# The `one` way, always\n\n```\n# no heading\n```\n',
  });

it.each([
  '[a](docs/a.md)',
  '[a](./docs/)',
  '[a](docs/a.md#the-one-way-always)',
  '[site](mailto:ada@example.org)',
  '```\n[a](nowhere.md)\n```\n',
  '`[a](nowhere.md)`',
])('lets %s pass', (text) => {
  expect(inReadme(text)).toEqual([]);
});

it.each(['[a](nowhere.md)', '[a](docs/a.md#no-heading)', '[a](#missing)'])(
  'names %s with its line',
  (text) => {
    expect(inReadme(`# A\n\n${text}`)).toEqual([expect.stringMatching(/^README\.md:3: /)]);
  },
);
