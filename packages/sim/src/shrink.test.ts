import { virtualClock } from '@foldmesh/embedded';
import { beforeAll, describe, expect, it } from 'vitest';
import { plotOf } from './plot.ts';
import { failureLines, shrunkLines } from './report.ts';
import { shrink } from './shrink.ts';
import { type Outcome, type Simulation, simulate } from './simulate.ts';
import { alwaysWins } from './testing/bugs.ts';

const realMsMax = 120_000;

/** The first seed that the bug shows in. */
const failing = async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const outcome = await simulate({ seed, bend: alwaysWins, hasty: true });
    if (outcome.violations.length > 0) return outcome;
  }
  throw new Error('no seed failed');
};

describe('a seed that fails', () => {
  let outcome: Outcome;
  beforeAll(async () => {
    outcome = await failing();
  }, realMsMax);

  it(
    'is told with why, how to see it again, and how it ended; and again without what it does not need',
    async () => {
      const { seed, violations, history } = outcome;
      const lines = failureLines(outcome, false);
      expect(lines[0]).toBe(`seed ${seed} FAILED (pnpm sim --seed ${seed} --trace shows all of it)`);
      expect(lines[1]).toBe(`  ${violations[0]}`);
      expect(failureLines(outcome, true).length).toBeGreaterThan(history.length);

      const shrunk = await shrink({ seed, bend: alwaysWins, hasty: true }, outcome);
      expect(shrunk.outcome.violations[0]?.split(':')[0]).toBe(violations[0]?.split(':')[0]);
      expect(shrunk.without).not.toEqual([]);
      expect(shrunk.plot.jobs.length).toBe(1);
      expect(shrunk.outcome.history.length).toBeLessThan(history.length);
      expect(shrunk.outcome.history.join('\n')).toContain(`VIOLATED ${shrunk.outcome.violations[0]}`);
      expect(shrunkLines(shrunk, false)[0]).toContain(`seed ${seed}, shrunk in ${shrunk.tried} tries`);
      expect(plotOf(seed).jobs.length).toBeGreaterThanOrEqual(shrunk.plot.jobs.length);
    },
    realMsMax,
  );

  it(
    'is not shrunk to a plot that never ends: that goes wrong in another way',
    async () => {
      const { seed } = outcome;
      const jobs = plotOf(seed).jobs.length;
      let endless = 0;
      // Whatever has a job less: its clock finds out, as that of a simulation does.
      const run = (simulation: Simulation) => {
        if ((simulation.plot?.jobs.length ?? jobs) === jobs) return simulate(simulation);
        endless += 1;
        return virtualClock().run(new Promise<never>(() => {}));
      };
      const shrunk = await shrink({ seed, bend: alwaysWins, hasty: true }, outcome, run);
      expect(endless).toBeGreaterThan(0);
      expect(shrunk.plot.jobs).toHaveLength(jobs);
      expect(shrunk.without).not.toEqual([]);
      expect(shrunk.outcome.violations[0]?.split(':')[0]).toBe(outcome.violations[0]?.split(':')[0]);
    },
    realMsMax,
  );

  it('is not shrunk where playing it breaks: that is no answer to anything', async () => {
    const run = () => Promise.reject(new Error('the disk is full'));
    await expect(shrink({ seed: outcome.seed }, outcome, run)).rejects.toThrow('the disk is full');
  });
});
