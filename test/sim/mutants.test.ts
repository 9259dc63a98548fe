import { describe, expect, it } from 'vitest';
import { simCommand } from './sim-command.ts';

const seeds = 500;
const realMsMax = 10 * 60_000;

/** Each is one line of the source that says something else, for one process alone (packages/sim/src/testing/mutations.ts). */
const bugs = (await simCommand('testing/mutant.ts', '--list')).lines;

describe(`a bug of one line is found within ${seeds} seeds`, () => {
  it('of fifteen kinds at least', () => expect(new Set(bugs).size).toBeGreaterThanOrEqual(15));

  it.each(bugs)(
    '%s',
    async (bug) => {
      const { code, lines } = await simCommand('testing/mutant.ts', '--bug', bug, '--seeds', String(seeds));
      expect([code, lines[0]]).toEqual([0, expect.stringMatching(/^found: /)]);
    },
    realMsMax,
  );

  it('and a line that is no longer there is no bug that was not found', async () => {
    const { code, lines } = await simCommand(
      'testing/mutant.ts',
      '--bug',
      bugs[0] ?? '',
      '--line',
      'no such line',
    );
    expect(code).not.toBe(0);
    expect(lines.join('\n')).toContain('has 0 lines that say: no such line');
  });
});
