import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { blowKinds } from './blows.ts';
import { dealSeeds, type Failed } from './deal-seeds.ts';
import { failedSeeds, keepSeed } from './failed-seeds.ts';
import { faultNames } from './plot.ts';
import { coverageLines, coveredMin, failureLines, rarelyMet, shrunkLines, totalLines } from './report.ts';
import { addTotal, nothingYet, runSeeds, type Total, unseen } from './run-seeds.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';
import { ways } from './ways.ts';

// pnpm sim [--seeds 200] [--first 1] [--jobs 2] [--steps], or --kept, or --seed 7 [--steps] [--trace]: many histories, those that
// have failed once, or one; with --steps all is looked at after every port call. The exit code says whether all was well.
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    first: { type: 'string', default: '1' },
    seed: { type: 'string' },
    kept: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
    steps: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
  },
});

const shrunkMax = 3;

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

const printFirst = (first: number, count: number): void =>
  print(
    `seeds ${first} to ${first + count - 1}${commit()}; faults: ${[...faultNames, 'deaths at port calls', ...blowKinds, 'clocks apart'].join(', ')}`,
  );

const playMany = async (): Promise<Total> => {
  const [first, count] = [wholeNumber('first', values.first), wholeNumber('seeds', values.seeds)];
  printFirst(first, count);
  const failed: Failed[] = [];
  const total = await dealSeeds({
    first,
    count,
    threads: Math.max(1, Math.min(wholeNumber('jobs', values.jobs), Math.ceil(count / 20))),
    eachStep: values.steps,
    onFailed: (one) => {
      failed.push(one);
      print(`seed ${one.seed} FAILED: ${one.violations.join('; ')}`);
      if (keepSeed(one.seed, one.violations[0] ?? '')) print('  it is kept in test/sim/seeds.txt');
    },
  });
  for (const { seed } of failed.toSorted((one, other) => one.seed - other.seed).slice(0, shrunkMax))
    await explain(seed);
  return total;
};

/** A seed whose violation shows in one history is shrunk; one that takes two of them is only named. */
const explain = async (seed: number): Promise<void> => {
  const outcome = await simulate({ seed });
  if (outcome.violations.length === 0) return;
  for (const line of shrunkLines(await shrink({ seed }, outcome), values.trace)) print(line);
};

const playOne = async (seed: number): Promise<Total> => {
  printFirst(seed, 1);
  const told = await simulate({ seed, eachStep: values.steps });
  const total = await runSeeds({ first: seed, count: 1, eachStep: values.steps });
  if (told.violations.length > 0) {
    for (const line of failureLines(told, values.trace)) print(line);
    await explain(seed);
  } else {
    if (values.trace) for (const line of told.history) print(line);
    print(`history ${told.hash}`);
  }
  return total;
};

/** Seeds that have failed once, one after the other, with every check. */
const playKept = async (): Promise<Total> => {
  const total = nothingYet();
  print(`seeds that have failed once${commit()}: ${failedSeeds().join(', ') || 'none'}`);
  for (const seed of failedSeeds()) addTotal(total, await playOne(seed));
  return total;
};

const play = (): Promise<Total> => {
  if (values.kept) return playKept();
  return values.seed === undefined ? playMany() : playOne(wholeNumber('seed', values.seed));
};

const isMany = values.seed === undefined && !values.kept;
const total = await play();
const nothingSeen = isMany ? unseen(total) : [];
if (nothingSeen.length > 0) print(`NOTHING was seen of ${nothingSeen.join(', ')}: more seeds are needed`);
if (isMany) {
  for (const line of coverageLines(total, ways)) print(line);
  const rare = rarelyMet(total, ways);
  if (rare.length > 0) print(`met less often than ${coveredMin} times in 10,000 seeds: ${rare.join(', ')}`);
}
for (const line of totalLines(total)) print(line);
process.exitCode = total.violations > 0 || nothingSeen.length > 0 ? 1 : 0;
