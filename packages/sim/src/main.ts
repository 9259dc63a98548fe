import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { faultNames } from './plot.ts';
import { failureLines, totalLines } from './report.ts';
import { runSeeds, unseen } from './run-seeds.ts';

// pnpm sim [--seeds 200] [--seed 7] [--trace]: many histories, or one; the exit code says whether all was well.
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const wholeNumber = (name: string, text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} wants a whole number, not ${text}`);
  return Number(text);
};

/** Which commit this is, where it is one. */
const commit = (): string => {
  try {
    const found = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return `, commit ${found.trim()}`;
  } catch {
    return ''; // no repository, or no git: then nothing is known of it
  }
};

const one = values.seed === undefined ? undefined : wholeNumber('seed', values.seed);
const first = one ?? 1;
const count = one === undefined ? wholeNumber('seeds', values.seeds) : 1;
print(
  `seeds ${first} to ${first + count - 1}${commit()}; faults: ${faultNames.join(', ')}, deaths at port calls`,
);
const total = await runSeeds({
  first,
  count,
  onSeed: (outcome) => {
    if (outcome.violations.length > 0) for (const line of failureLines(outcome, values.trace)) print(line);
    else if (values.trace) for (const line of outcome.history) print(line);
    if (one !== undefined && outcome.violations.length === 0) print(`history ${outcome.hash}`);
  },
});
const nothingSeen = one === undefined ? unseen(total) : [];
if (nothingSeen.length > 0) print(`NOTHING was seen of ${nothingSeen.join(', ')}: more seeds are needed`);
for (const line of totalLines(total)) print(line);
process.exitCode = total.violations > 0 || nothingSeen.length > 0 ? 1 : 0;
