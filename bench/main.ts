import { parseArgs } from 'node:util';
import { keepFigures } from './report/keep-figures.ts';
import { lastReport, reportText } from './report/publish-report.ts';
import { isPartName, outFolder, partNames, runParts } from './run-parts.ts';

// pnpm bench [--short] [--only hop|jobs|scale|layers] [--rounds 5] [--match text] [--profile folder] [--report] [--keep docs/benchmarks]
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    match: { type: 'string', default: '' },
    profile: { type: 'string' },
    report: { type: 'boolean', default: false },
    keep: { type: 'string' },
  },
});

const { only, short, match, profile, rounds, report, keep } = values;
if (only !== undefined && !isPartName(only))
  throw new Error(`--only takes ${partNames.join(' or ')}, not ${only}`);
if (rounds !== undefined && !/^[1-9]\d{0,2}$/.test(rounds))
  throw new Error(`--rounds wants a number from 1 to 999, not ${rounds}`);
if (short && (report || keep !== undefined))
  throw new Error('--short measures nothing that could be kept or shown: leave out --report and --keep');
const parts = only === undefined ? partNames : [only];
const say = (line: string): void => void process.stdout.write(`${line}\n`);
if (report) {
  for (const part of parts) for (const line of reportText(await lastReport(part, outFolder))) say(line);
} else {
  await runParts({
    short,
    match,
    parts,
    ...(rounds !== undefined && { rounds: Number(rounds) }),
    ...(profile !== undefined && { profile }),
    say,
  });
}
if (keep !== undefined) for (const part of parts) await keepFigures(part, outFolder, keep);
