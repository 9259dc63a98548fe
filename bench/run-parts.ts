import { join } from 'node:path';
import { type Extent, fullExtent, shortExtent } from './extent.ts';
import { measureHop } from './hop/hop.ts';
import { hopReport } from './hop/hop-report.ts';
import { measureJobs } from './jobs/jobs.ts';
import { jobsReport } from './jobs/jobs-report.ts';
import { measureLayers } from './layers/layers.ts';
import { layersReport } from './layers/layers-report.ts';
import { loadNow, thisMachine } from './report/machine.ts';
import type { PartReport } from './report/part-report.ts';
import { publishReport, reportText } from './report/publish-report.ts';
import { measureScale } from './scale/scale.ts';
import { scaleReport } from './scale/scale-report.ts';

const parts = {
  hop: async (extent: Extent): Promise<PartReport> => hopReport(await measureHop(extent)),
  jobs: async (extent: Extent): Promise<PartReport> => jobsReport(await measureJobs(extent)),
  scale: async (extent: Extent): Promise<PartReport> => scaleReport(await measureScale(extent)),
  layers: async (extent: Extent): Promise<PartReport> => layersReport(await measureLayers(extent)),
} as const;

export type PartName = keyof typeof parts;

export const partNames = Object.keys(parts) as readonly PartName[]; // the keys that stand above
export const isPartName = (name: string): name is PartName => name in parts;

export interface RunChoice {
  readonly parts: readonly PartName[];
  /** Looks whether all of it runs; its numbers mean nothing. */
  readonly short: boolean;
  readonly rounds?: number;
  /** Only contenders whose names hold this. */
  readonly match: string;
  /** Where each Node process that is measured leaves a profile of its processor time. */
  readonly profile?: string;
  readonly say: (line: string) => void;
}

/** Where the last measurement of each part lies; a short one lies apart, for nobody should take it for one. */
export const outFolder = join(import.meta.dirname, 'out');

/** One part after the other, and what each came to. */
export const runParts = async (choice: RunChoice): Promise<readonly PartReport[]> => {
  const { short, rounds, match, profile, say } = choice;
  const extent: Extent = {
    ...(short ? shortExtent : fullExtent),
    ...(rounds !== undefined && { rounds }),
    nodeArguments: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
    match,
    say,
  };
  const machine = await thisMachine();
  const reports: PartReport[] = [];
  for (const part of choice.parts) {
    const before = loadNow();
    say(`${part} …`);
    const measured = await parts[part](extent);
    const report = { ...measured, machine, load: { before, after: loadNow() } };
    for (const line of reportText(report)) say(line);
    await publishReport(report, short ? join(outFolder, 'short') : outFolder);
    reports.push(report);
  }
  return reports;
};
