import { join } from 'node:path';
import { type Extent, fullExtent, shortExtent } from './extent.ts';
import { measureHop } from './hop/hop.ts';
import { hopReport } from './hop/hop-report.ts';
import { measureJobs } from './jobs/jobs.ts';
import { jobsReport } from './jobs/jobs-report.ts';
import { loadNow, thisMachine } from './report/machine.ts';
import type { PartReport } from './report/part-report.ts';
import { publishReport } from './report/publish-report.ts';

const parts = {
  hop: async (extent: Extent): Promise<PartReport> => hopReport(await measureHop(extent)),
  jobs: async (extent: Extent): Promise<PartReport> => jobsReport(await measureJobs(extent)),
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

const outFolder = join(import.meta.dirname, 'out');

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
    const loadBefore = loadNow();
    say(`${part} …`);
    const report = await parts[part](extent);
    await publishReport(report, { machine, loadBefore, folder: outFolder, say });
    reports.push(report);
  }
  return reports;
};
