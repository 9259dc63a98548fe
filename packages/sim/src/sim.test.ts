import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { failureLines } from './report.ts';
import { runSeeds, unseen } from './run-seeds.ts';
import { type Simulation, simulate } from './simulate.ts';
import { lateAssignments } from './testing/late-assignments.ts';
import { lateWords } from './testing/late-words.ts';

const realMsMax = 120_000;

/** In parts, so that the line that fails says where, and a slow machine is seen to move. */
const parts = [1, 51, 101, 151];

describe('200 small random histories with faults and deaths, then health', () => {
  for (const first of parts)
    it(
      `seeds ${first} to ${first + 49} keep M1, M2, M4, M8 and M9`,
      async () => {
        const failures: string[] = [];
        const total = await runSeeds({
          first,
          count: 50,
          onSeed: (outcome) => {
            if (outcome.violations.length > 0) failures.push(...failureLines(outcome, false));
          },
        });
        expect(failures.join('\n')).toBe('');
        expect(unseen(total)).toEqual([]);
        expect(total.deaths).toBeGreaterThan(50);
        expect(Object.keys(total.endings)).toEqual(
          expect.arrayContaining(['completed', 'failed', 'cancelled']),
        );
      },
      realMsMax,
    );
});

describe('what seeds have found', () => {
  const cases: readonly (readonly [string, number, NonNullable<Simulation['bend']>])[] = [
    ['a run goes on when its job has ended before anybody could tell it', 34, lateWords],
    ['an older word of a slow manager stays in the index when the job has ended', 68, lateWords],
    ['a run begins after its cancel, which has overtaken its assignment', 3, lateAssignments],
  ];

  it.each(cases)('%s (seed %i)', async (_, seed, bend) => {
    const { violations } = await simulate({ seed, bend });
    expect(violations).toEqual([]);
  });
});

describe('a seed', () => {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const elsewhere = async (seed: number): Promise<string> => {
    const args = [
      '-C',
      '@foldmesh/source',
      '--disable-warning=ExperimentalWarning',
      main,
      '--seed',
      String(seed),
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return stdout;
  };

  for (const seed of [3, 7])
    it(
      `makes the same history in another process: ${seed} (M9)`,
      async () => expect(await elsewhere(seed)).toContain(`history ${(await simulate({ seed })).hash}`),
      realMsMax,
    );

  it('makes another history than its neighbour', async () => {
    expect((await simulate({ seed: 8 })).hash).not.toBe((await simulate({ seed: 7 })).hash);
  });
});
