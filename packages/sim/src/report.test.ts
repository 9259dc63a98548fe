import { expect, it } from 'vitest';
import { failureLines, totalLines } from './report.ts';
import { runSeeds } from './run-seeds.ts';
import type { Outcome } from './simulate.ts';
import { acksAtPull } from './testing/bugs.ts';

it('tells of a seed that failed which, why, how to see it again, and how it ended', async () => {
  const failed: Outcome[] = [];
  const total = await runSeeds({
    first: 1,
    count: 40,
    bend: acksAtPull,
    onSeed: (outcome) => {
      if (outcome.violations.length > 0) failed.push(outcome);
    },
    until: ({ violations }) => violations.length > 0,
  });
  const [outcome] = failed;
  if (outcome === undefined) throw new Error('no seed failed');
  const lines = failureLines(outcome, false);
  expect(lines[0]).toBe(
    `seed ${outcome.seed} FAILED (pnpm sim --seed ${outcome.seed} --trace shows all of it)`,
  );
  expect(lines[1]).toBe(`  ${outcome.violations[0]}`);
  expect(lines.length).toBeLessThan(90);
  expect(failureLines(outcome, true).length).toBeGreaterThan(outcome.history.length);
  expect(totalLines(total).at(-1)).toMatch(/^seeds \d+, steps \d+, faults \d+, violations [1-9]\d*$/);
});
