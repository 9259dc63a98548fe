import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { problemCodes } from '@foldmesh/client';
import { JobEvent } from '@foldmesh/job';
import { expect, it } from 'vitest';
import { bench } from './command-line.ts';
import { curlRequests } from './curl-command.ts';
import { upUrl } from './up-url.ts';

const read = (): Promise<string> => readFile(resolve(import.meta.dirname, '../../docs/api.md'), 'utf8');

/** What an answer has at least; `…` stands for anything. */
const expected = (text: string): unknown =>
  JSON.parse(text, (_, value) => (value === '…' ? expect.anything() : value));

it('runs every command of docs/api.md, which answers what stands there', { timeout: 180_000 }, async () => {
  await using at = await bench();
  const url = await upUrl(at);
  const blocks = [...(await read()).matchAll(/```(sh|json)\n([\s\S]*?)```/g)];
  let answer = '';
  let looked = 0;
  for (const [, language, text = ''] of blocks) {
    if (language === 'json') {
      expect(JSON.parse(answer)).toMatchObject(expected(text) as object);
      looked += 1;
      continue;
    }
    for (const { url: told, init } of curlRequests(text)) {
      const response = await fetch(told.replace('http://localhost:8080', url), init);
      answer = await response.text();
    }
  }
  expect(looked).toBeGreaterThan(8);
});

it('has in docs/api.md a line for every code that a problem can have, and for no other', async () => {
  const rows = [...(await read()).matchAll(/^\| `(\w+)` \| \d{3}[\d, ]* \| (.+) \|$/gm)];
  expect(Object.fromEntries(rows.map(([, code, says]) => [code, says]))).toEqual(problemCodes);
});

it('has in docs/api.md every kind of event, and no other', async () => {
  const [, table = ''] = /^\| kind \| \|\n([\s\S]*?)\n\n/m.exec(await read()) ?? [];
  const named = [...table.matchAll(/^\|(.+?)\|/gm)].flatMap(
    ([, kinds = '']) => kinds.match(/[a-z]+(-[a-z]+)+/g) ?? [],
  );
  expect(named.toSorted()).toEqual(JobEvent.options.map(({ shape }) => shape.kind.value).toSorted());
});
