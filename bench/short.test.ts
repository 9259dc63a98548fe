import { expect, test } from 'vitest';
import { mediansOf } from './report/part-report.ts';
import { partNames, runParts } from './run-parts.ts';

// Whether it runs, not how fast: on a machine that tests something else at the same time a speed means nothing.
test.each(partNames)(
  '%s runs, and has a number for everything that it compares',
  {
    timeout: 300_000,
  },
  async (part) => {
    const [report, ...others] = await runParts({
      parts: [part],
      short: true,
      match: '',
      say: () => undefined,
    });
    expect([report?.part, others]).toEqual([part, []]);
    const medians = report?.charts.flatMap(mediansOf) ?? [];
    expect(medians.length).toBeGreaterThan(1);
    for (const { name, median } of medians) expect([name, median > 0]).toEqual([name, true]);
  },
);
