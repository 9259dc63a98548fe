import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { decodeJson } from './codec.ts';
import { readHeaders } from './headers.ts';
import { invariant } from './invariant.ts';
import { openOuter } from './open.ts';
import { LetterElsewhere, StoredLetter } from './stored-letter.ts';

const folder = new URL('../fixtures/v1/stored/', import.meta.url);
const letterIn = (file: string): unknown => {
  const decoded = decodeJson(readFileSync(new URL(file, folder)));
  invariant(decoded.ok, `${file} is JSON`);
  return decoded.value;
};

it.each(readdirSync(folder))('%s reads, and will for ever', (file) => {
  const letter = letterIn(file);
  const read = file.endsWith('-elsewhere.json') ? LetterElsewhere.parse(letter) : StoredLetter.parse(letter);
  expect(read).toEqual(letter);
});

it('the message that died is whole in it', () => {
  const { headers, body } = StoredLetter.parse(letterIn('dead-letter.json'));
  const read = readHeaders(headers);
  invariant(read.ok, 'its headers read');
  expect(openOuter(read.value, Buffer.from(body, 'base64'))).toMatchObject({ ok: true });
});

it('a letter without its reason is none', () => {
  const { reason: _, ...rest } = StoredLetter.parse(letterIn('dead-letter.json'));
  expect(StoredLetter.safeParse(rest).success).toBe(false);
});
