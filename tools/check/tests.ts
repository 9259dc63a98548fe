import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Finished, run } from './command.ts';
import { repeatOf } from './pass.ts';
import { type Failure, type Summary, summaryVariable } from './summary.ts';

const reporter = './tools/check/reporters/summary.ts';
const failuresShown = 20;

/** What the tests came to, with a crash of the runner counted as a failure. */
export interface Outcome {
  readonly summary: Summary;
  readonly finished: Finished;
}

/** Runs vitest over the projects that are not left out. */
export const runTests = async (leftOut: readonly string[], shown: boolean): Promise<Outcome> => {
  const folder = join('node_modules', '.cache', 'foldmesh');
  const path = join(folder, `tests-${process.pid}.json`);
  mkdirSync(folder, { recursive: true });
  const command = ['vitest', 'run', ...leftOut.flatMap((project) => ['--project', `!${project}`])];
  const variables = { [summaryVariable]: path };
  try {
    const reporters = ['--reporter', 'default', '--reporter', reporter];
    const finished = await run([...command, ...reporters], { shown, variables });
    return { summary: judge(readSummary(path), finished.code, command), finished };
  } finally {
    rmSync(path, { force: true });
  }
};

/** A runner that ends badly without a failed test has crashed: that is one failure of its own. */
export const judge = (summary: Summary | undefined, code: number, command: readonly string[]): Summary => {
  const name = command.join(' ');
  if (summary === undefined) return { passed: 0, failed: [{ file: `${name} left no summary` }], skipped: [] };
  if (code === 0 || summary.failed.length > 0) return summary;
  return { ...summary, failed: [{ file: `${name} ended with exit code ${code}` }] };
};

/** One line per failure, each with the command that repeats it. */
export const failureLines = (failures: readonly Failure[]): string[] => {
  const lines = failures.slice(0, failuresShown).map(({ file, test }) => {
    if (test === undefined) return `failed: ${file}`;
    return `failed: ${file} > ${test}\n  repeat it with: ${repeatOf(['vitest', 'run', file, '-t', patternOf(test)])}`;
  });
  const rest = failures.length - lines.length;
  return rest > 0 ? [...lines, `and ${rest} more`] : lines;
};

/** Vitest takes `-t` as a pattern and joins the names of suites with a space. */
const patternOf = (test: string): string => test.replaceAll(' > ', ' ').replace(/[.*+?^${}()|[\]\\']/g, '.');

const readSummary = (path: string): Summary | undefined => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // A crash before the end leaves no file, or half of one; the judge names it.
    return undefined;
  }
};
