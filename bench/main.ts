import { parseArgs } from 'node:util';
import { isPartName, partNames, runParts } from './run-parts.ts';

// pnpm bench [--short] [--only hop|jobs] [--rounds 5] [--match text] [--profile folder]
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    match: { type: 'string', default: '' },
    profile: { type: 'string' },
  },
});

const { only, short, match, profile, rounds } = values;
if (only !== undefined && !isPartName(only))
  throw new Error(`--only takes ${partNames.join(' or ')}, not ${only}`);
if (rounds !== undefined && !/^\d{1,3}$/.test(rounds))
  throw new Error(`--rounds wants a number, not ${rounds}`);
await runParts({
  short,
  match,
  parts: only === undefined ? partNames : [only],
  ...(rounds !== undefined && { rounds: Number(rounds) }),
  ...(profile !== undefined && { profile }),
  say: (line) => void process.stdout.write(`${line}\n`),
});
