import { describe, expect, it } from 'vitest';
import { runSeeds } from './run-seeds.ts';
import type { Simulation } from './simulate.ts';
import { alwaysWins, sleepsElsewhere } from './testing/bugs.ts';

const realMsMax = 120_000;

interface Case {
  readonly bug: string;
  readonly bend: NonNullable<Simulation['bend']>;
  /** One of these is said within so many seeds. */
  readonly says: RegExp;
  readonly within: number;
  readonly first?: number;
}

/** Bugs between the services and their ports; those in the services themselves are the mutations of test/sim. */
const cases: readonly Case[] = [
  { bug: 'a claim that is always won', bend: alwaysWins, says: /^M2: .* has happened \d+ times/, within: 60 },
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
          hasty: true,
          until: ({ violations }) => violations.some((one) => says.test(one)),
          onSeed: ({ seed, violations }) => said.push(...violations.map((one) => `${one} (seed ${seed})`)),
        });
        expect(said.join('\n')).toMatch(new RegExp(says.source, 'm'));
      },
      realMsMax,
    );
});
