import { expect, it } from 'vitest';
import { comments } from './comments.ts';
import { findingsOf } from './fixture.ts';

const inFile = (text: string): string[] => findingsOf(comments, { 'packages/mid/src/a.ts': text });

it.each(['// TODO: later', '// FIXME', '/* TODO(): nobody */'])('asks for the owner of %s', (text) => {
  expect(inFile(text)).toEqual([expect.stringContaining('without an owner')]);
});

it.each(['// ----------', '/* ====== Types ====== */'])('refuses the banner %s', (text) => {
  expect(inFile(text)).toEqual([expect.stringContaining('a banner')]);
});

it.each(['// TODO(ada): when the server answers.', '// A list - of two.', "const a = '// TODO';"])(
  'lets %s pass',
  (text) => {
    expect(inFile(text)).toEqual([]);
  },
);
