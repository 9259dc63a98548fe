import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { barChart } from './bar-chart.ts';
import { loadNow, type Machine, machineText } from './machine.ts';
import { type PartReport, spreadText } from './part-report.ts';
import { textTable } from './text-table.ts';

export interface Published {
  readonly machine: Machine;
  /** Load of the machine when the part began. */
  readonly loadBefore: number;
  readonly folder: string;
  readonly say: (line: string) => void;
}

/** Prints a part, ratios first, and writes its JSON and its chart into the folder. */
export const publishReport = async (report: PartReport, published: Published): Promise<void> => {
  const { machine, loadBefore, folder, say } = published;
  const load = { before: loadBefore, after: loadNow() };
  say('');
  say(`${report.part}: ${machineText(machine)}; load ${load.before} before, ${load.after} after`);
  say('');
  const ratios = report.ratios.map(({ name, spread, goal = '' }) => [name, spreadText(spread), goal]);
  for (const line of textTable(['ratio', 'median (p25–p75)', 'goal'], ratios)) say(line);
  say('');
  for (const line of textTable(report.columns, report.rows)) say(line);
  say('');
  for (const note of report.notes) say(`- ${note}`);
  await mkdir(folder, { recursive: true });
  const json = { machine, load, ...report };
  await writeFile(join(folder, `${report.part}.json`), `${JSON.stringify(json, undefined, 1)}\n`);
  await writeFile(join(folder, `${report.part}.svg`), barChart(report.charts));
};
