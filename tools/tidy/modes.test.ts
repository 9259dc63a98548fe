import { expect, it } from 'vitest';
import { findingsOf } from './fixture.ts';
import { modes } from './modes.ts';

const inFile = (text: string): string[] => findingsOf(modes, { 'packages/mid/src/a.ts': text });

it.each(['if (simulated) f();', 'if (!world.isEmbedded) f();', 'const a = replaying ? 1 : 2;'])(
  'refuses %s',
  (text) => {
    expect(inFile(text)).toEqual([expect.stringContaining('hand in another adapter')]);
  },
);

it.each(['if (a) embedded();', 'const simulated = world(1);', 'if (replays.length > 2) f();'])(
  'lets %s pass',
  (text) => {
    expect(inFile(text)).toEqual([]);
  },
);
