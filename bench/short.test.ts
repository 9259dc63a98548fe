import { expect, test } from 'vitest';
import { partNames, runParts } from './run-parts.ts';

// Whether it runs, not how fast: on a machine that tests something else at the same time a speed means nothing.
test('every part of the benchmark runs, and has a number for everything that it compares', {
  timeout: 300_000,
}, async () => {
  const lines: string[] = [];
  const reports = await runParts({
    parts: partNames,
    short: true,
    match: '',
    say: (line) => lines.push(line),
  });
  expect(reports.map(({ part }) => part)).toEqual(partNames);
  for (const { charts } of reports)
    for (const { bars } of charts)
      for (const { name, spread } of bars) expect([name, spread.median > 0]).toEqual([name, true]);
});
