import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chartSheet } from './chart-sheet.ts';
import { type Machine, machineText } from './machine.ts';
import { markdownTable } from './markdown-table.ts';
import { type PartReport, spreadText, type Table } from './part-report.ts';
import { textTable } from './text-table.ts';

/** A part with what it was measured on, as its JSON has it. */
export interface Published extends PartReport {
  readonly machine: Machine;
  /** Of the machine, before and after. */
  readonly load: { readonly before: number; readonly after: number };
}

/** Ratios first, then what they are made of; of what was not measured nothing. */
const tablesOf = ({ ratios, tables }: PartReport): readonly Table[] => {
  const rows = ratios.map(({ name, spread, goal = '' }) => [name, spreadText(spread), goal]);
  const first: Table = { columns: ['ratio', 'median (p25–p75)', 'goal'], rows };
  return [first, ...tables].filter((table) => table.rows.length > 0);
};

const measuredOn = ({ machine, load }: Published): string =>
  `${machineText(machine)}; load ${load.before} before, ${load.after} after`;

/** What is printed. */
export const reportText = (report: Published): readonly string[] => [
  '',
  `${report.part}: ${measuredOn(report)}`,
  '',
  ...tablesOf(report).flatMap((table) => [...textTable(table), '']),
  ...report.notes.map((note) => `- ${note}`),
];

/** What is kept in a document: the same, with the chart, whose path is the caller's. */
export const reportMarkdown = (report: Published, chart: string): readonly string[] => [
  ...tablesOf(report).flatMap((table) => [...markdownTable(table), '']),
  `![Charts of ${report.part}](${chart})`,
  '',
  `Measured on ${measuredOn(report)}.`,
  '',
  ...report.notes.map((note) => `- ${note}`),
];

/** Leaves the JSON of a part and its charts in a folder. */
export const publishReport = async (report: Published, folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${report.part}.json`), `${JSON.stringify(report, undefined, 1)}\n`);
  await writeFile(join(folder, `${report.part}.svg`), chartSheet(report.charts));
};

/** What was measured last; throws where that part never was. */
export const lastReport = async (part: string, folder: string): Promise<Published> => {
  const text = await readFile(join(folder, `${part}.json`), 'utf8').catch(() => undefined);
  if (text === undefined) throw new Error(`${part} has not been measured here: pnpm bench --only ${part}`);
  const report = JSON.parse(text) as Published; // as `publishReport` wrote it, perhaps that of another version
  if (report.tables === undefined)
    throw new Error(`${part}.json is of another version: pnpm bench --only ${part}`);
  return report;
};
