import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { failureLines, totalLines } from './report.ts';
import { runSeeds, unseen } from './run-seeds.ts';
import { type Simulation, simulate } from './simulate.ts';
import { lateAssignments } from './testing/late-assignments.ts';
import { lateWords } from './testing/late-words.ts';

const realMsMax = 120_000;

/** In parts, so that the line that fails says where, and a slow machine is seen to move. */
const parts = [1, 31, 61];
const partSeeds = 30;

describe('small random histories with faults and deaths, then health', () => {
  for (const first of parts)
    it(
      `seeds ${first} to ${first + partSeeds - 1} keep M1 to M10`,
      async () => {
        const failures: string[] = [];
        const total = await runSeeds({
          first,
          count: partSeeds,
          onSeed: (outcome) => {
            if (outcome.violations.length > 0) failures.push(...failureLines(outcome, false));
          },
        });
        expect(failures.join('\n')).toBe('');
        expect(unseen(total)).toEqual([]);
        expect(total.deaths).toBeGreaterThan(partSeeds);
        expect(total.compared).toBeGreaterThan(0);
        expect(Object.keys(total.endings)).toEqual(
          expect.arrayContaining(['completed goal', 'failed failed', 'cancelled cancelled']),
        );
      },
      realMsMax,
    );
});

describe('bad luck that no seed draws', () => {
  const cases: readonly (readonly [string, NonNullable<Simulation['bend']>])[] = [
    ['what tells others that a job stops gets through when it has ended', lateWords],
    ['a cancel overtakes the assignment of a run', lateAssignments],
  ];

  it.each(cases)('%s', async (_, bend) => {
    const wrong: string[] = [];
    await runSeeds({
      first: 1,
      count: 12,
      bend,
      onSeed: ({ seed, violations }) => wrong.push(...violations.map((one) => `${one} (seed ${seed})`)),
    });
    expect(wrong).toEqual([]);
  });
});

describe('a seed', () => {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const elsewhere = async (...args: readonly string[]): Promise<string> => {
    const flags = ['-C', '@foldmesh/source', '--disable-warning=ExperimentalWarning'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, main, ...args]);
    return stdout;
  };

  it(
    'makes the same history in another process (M9)',
    async () => {
      expect(await elsewhere('--seed', '3')).toContain(`history ${(await simulate({ seed: 3 })).hash}`);
    },
    realMsMax,
  );

  it(
    'comes to the same on whichever of several threads it is played',
    async () => {
      const lines = await elsewhere('--seeds', '22', '--jobs', '2');
      const total = await runSeeds({ first: 1, count: 22 });
      expect(lines.trimEnd().split('\n').at(-1)).toBe(totalLines(total).at(-1));
    },
    realMsMax,
  );

  it('makes another history than its neighbour', async () => {
    expect((await simulate({ seed: 8 })).hash).not.toBe((await simulate({ seed: 7 })).hash);
  });

  it('is judged alike whether or not it is looked at after every port call', async () => {
    const closely = await simulate({ seed: 5, eachStep: true });
    expect(closely.violations).toEqual([]);
    expect(closely.looked.M10).toBeGreaterThan((await simulate({ seed: 5 })).looked.M10);
    expect(closely.hash).toBe((await simulate({ seed: 5 })).hash);
  });
});
