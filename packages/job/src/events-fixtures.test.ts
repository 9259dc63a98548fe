import { readdirSync, readFileSync } from 'node:fs';
import { goldenClaims, goldenJournals } from '@foldmesh/ports/internal';
import { describe, expect, it } from 'vitest';
import { jobFold } from './decider.ts';
import { JobEvent } from './events.ts';

const folder = new URL('../fixtures/v1/', import.meta.url);
const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.json'),
);
const golden = {
  fold: jobFold,
  kinds: JobEvent.options.map(({ shape }) => shape.kind.value),
  kept: ['completed', 'failed', 'person'],
  files: new Map(paths.map((path) => [path, JSON.parse(readFileSync(new URL(path, folder), 'utf8'))])),
};

describe('golden histories and journals of a job', () => {
  it.each(goldenClaims(golden))('%s', (_, check) => check());

  it.each(goldenJournals(golden))(
    '%s is folded as it ever was, or by a fold with another version',
    async (path, text) => {
      await expect(text).toMatchFileSnapshot(`../fixtures/v1/${path}`);
    },
  );
});
