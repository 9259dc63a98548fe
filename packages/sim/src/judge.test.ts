import { describe, expect, it } from 'vitest';
import { runSeeds } from './run-seeds.ts';
import type { Simulation } from './simulate.ts';
import {
  acksAtPull,
  alwaysWins,
  appendsBlindly,
  forgetsOutcomes,
  remembersTwice,
  sleepsElsewhere,
} from './testing/bugs.ts';

const realMsMax = 120_000;

interface Case {
  readonly bug: string;
  readonly bend: NonNullable<Simulation['bend']>;
  /** One of these is said within so many seeds. */
  readonly says: RegExp;
  readonly within: number;
  readonly first?: number;
}

const cases: readonly Case[] = [
  {
    bug: 'a store that forgets outcomes',
    bend: forgetsOutcomes,
    says: /^M2: .* has happened \d+ times/,
    within: 40,
  },
  { bug: 'a claim that is always won', bend: alwaysWins, says: /^M2: .* has happened \d+ times/, within: 40 },
  { bug: 'an ack before the work', bend: acksAtPull, says: /^M1: .* has not ended/, within: 40 },
  { bug: 'an append that looks at nothing', bend: appendsBlindly, says: /^M(1|8): /, within: 40 },
  {
    bug: 'a memory that keeps a fact twice',
    bend: remembersTwice,
    says: /^M2: .* has happened 2 times/,
    within: 60,
    first: 470,
  },
  { bug: 'time from outside the seed', bend: sleepsElsewhere(), says: /^M9: /, within: 1, first: 20 },
];

describe('the judge sees', () => {
  for (const { bug, bend, says, within, first = 1 } of cases)
    it(
      bug,
      async () => {
        const said: string[] = [];
        await runSeeds({
          first,
          count: within,
          bend,
          until: ({ violations }) => violations.some((one) => says.test(one)),
          onSeed: ({ seed, violations }) => said.push(...violations.map((one) => `${one} (seed ${seed})`)),
        });
        expect(said.join('\n')).toMatch(new RegExp(says.source, 'm'));
      },
      realMsMax,
    );
});
