import { describe, expect, it } from 'vitest';
import type { Ending } from './ending.ts';
import { play, submitJob } from './scenario.ts';
import { book, jobOf } from './specs.ts';

const faults = { repeat: 0.3, delay: 0.3, loseAck: 0.2, losePublishReply: 0.2, unavailable: 0.2, slow: 0.3 };
const job = jobOf([book('a'), book('b'), book('c', 'read', { depends_on: ['a'] })], { split: 'always' });

const told = (seed: number): Promise<Ending> =>
  play(
    { workers: 2, managers: 2, faults, flaky: 0.2 },
    [(run) => submitJob(run, job), (run) => run.clock.sleep(120_000)],
    seed,
  );

const history = ({ jobs, calls, witness }: Ending) => ({ jobs: [...jobs], calls, rows: witness.rows });

describe('a seed', () => {
  it('tells the same story each time, call for call (M9)', async () => {
    const [first, second] = [await told(7), await told(7)];
    expect(first.calls.length).toBeGreaterThan(500);
    expect(history(second)).toEqual(history(first));
  });

  it('tells another story than its neighbour', async () => {
    expect(history(await told(8)).calls).not.toEqual(history(await told(7)).calls);
  });
});
