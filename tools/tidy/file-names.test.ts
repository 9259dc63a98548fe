import { expect, it } from 'vitest';
import { fileNames } from './file-names.ts';
import { findingsOf } from './fixture.ts';

it.each(['key.ts', 'on-task-settle.ts', 'on-task-settle.test.ts', 'vitest.config.ts'])(
  'lets %s pass',
  (name) => {
    expect(findingsOf(fileNames, { [`packages/mid/src/${name}`]: '' })).toEqual([]);
  },
);

it.each(['onTaskSettle.ts', 'one-two-three-four.ts', 'on_task.ts', 'Key.ts', 'key.js'])(
  'refuses the shape of %s',
  (name) => {
    expect(findingsOf(fileNames, { [`packages/mid/src/${name}`]: '' })).toEqual([
      expect.stringContaining('kebab case'),
    ]);
  },
);

it.each(['test-utils.ts', 'common.ts', 'ctx.ts'])('refuses the empty word in %s', (name) => {
  expect(findingsOf(fileNames, { [`packages/mid/src/${name}`]: '' })).toEqual([
    expect.stringContaining('says nothing'),
  ]);
});
