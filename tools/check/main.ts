import { run } from './command.ts';
import { gates } from './gates.ts';
import { passageOf } from './pass.ts';
import { closingLines, exitCodeOf, type Failure, type Summary } from './summary.ts';
import { failureLines, runTests } from './tests.ts';

// check: the gates and every quick test. check:all: with servers, processes, examples and many seeds. test: the same as check:all,
// shown as it runs and counted to the end, because its last line is read by machines.
const [mode = 'check'] = process.argv.slice(2);

const runGates = async (): Promise<readonly Failure[]> => {
  const failures: Failure[] = [];
  for (const gate of gates) {
    const start = Date.now();
    const { line, why } = passageOf(gate, await run(gate.command), Date.now() - start);
    if (why !== undefined) failures.push({ file: `the gate "${gate.name}"` });
    console.log(why === undefined ? line : `${why}${line}`);
  }
  return failures;
};

const runEverything = async (): Promise<Summary> => {
  const failures = await runGates();
  const start = Date.now();
  const { summary, finished } = await runTests(
    mode === 'check' ? ['servers', 'e2e', 'examples', 'bench', 'sim'] : [],
    mode === 'test',
  );
  if (exitCodeOf(summary) !== 0 && finished.output !== '') console.log(finished.output.trimEnd());
  const total = summary.passed + summary.failed.length;
  const took = `${((Date.now() - start) / 1000).toFixed(1)} s`;
  console.log(`tests   ${exitCodeOf(summary) === 0 ? 'ok    ' : 'FAILED'}  ${total} tests, ${took}`);
  return {
    passed: gates.length - failures.length + summary.passed,
    failed: [...failures, ...summary.failed, ...(total === 0 ? [{ file: 'vitest ran no test' }] : [])],
    skipped: summary.skipped,
  };
};

const summary = await runEverything();
for (const line of [...failureLines(summary.failed), ...closingLines(summary)]) console.log(line);
process.exitCode = exitCodeOf(summary);
