import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';
import { type Summary, summaryVariable } from '../summary.ts';

/** A vitest reporter that leaves the summary for the runner, beside whatever else reports. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    strayErrors: readonly unknown[],
    _reason: TestRunEndReason,
  ): void {
    const path = process.env[summaryVariable];
    if (path === undefined) return;
    const parts = modules.map(summaryOf);
    const summary: Summary = {
      passed: parts.reduce((sum, { passed }) => sum + passed, 0),
      failed: [
        ...parts.flatMap(({ failed }) => failed),
        ...strayErrors.map(() => ({ file: 'a stray error' })),
      ],
      skipped: parts.flatMap(({ skipped }) => skipped),
    };
    writeFileSync(path, JSON.stringify(summary));
  }
}

const summaryOf = (module: TestModule): Summary => {
  const file = module.relativeModuleId;
  const tests = [...module.children.allTests()];
  const suites = [...module.children.allSuites()];
  const failedSuites = suites.filter((suite) => suite.errors().length > 0);
  return {
    passed: tests.filter((test) => test.result().state === 'passed').length,
    failed: [
      ...(module.errors().length > 0 ? [{ file }] : []),
      ...failedSuites.map((suite) => ({ file, test: suite.fullName })),
      ...tests
        .filter((test) => test.result().state === 'failed')
        .map((test) => ({ file, test: test.fullName })),
    ],
    skipped: tests.flatMap((test) => {
      const result = test.result();
      if (result.state !== 'skipped' && result.state !== 'pending') return [];
      const note = 'note' in result && result.note !== undefined ? ` (${result.note})` : '';
      return [`${test.fullName}${note}`];
    }),
  };
};
