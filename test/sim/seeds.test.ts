import { describe, expect, it } from 'vitest';
import { simCommand } from './sim-command.ts';

const realMsMax = 10 * 60_000;
const last = /^seeds (\d+), steps \d+, faults \d+, violations 0$/;

describe('seeds', () => {
  it(
    'that have failed once fail no more',
    async () => {
      const { code, lines } = await simCommand('main.ts', '--kept');
      expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(last)]);
    },
    realMsMax,
  );

  it(
    '1,001 to 2,000 keep M1 to M10',
    async () => {
      const { code, lines } = await simCommand('main.ts', '--first', '1001', '--seeds', '1000');
      expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(last)]);
    },
    realMsMax,
  );
});
