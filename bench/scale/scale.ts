import type { Extent } from '../extent.ts';
import type { Grown, Tried } from './grown.ts';
import { type JobSizeRound, type JobSizes, measureJobSizes } from './job-sizes.ts';
import { measureRunLoads, type RunLoadRound } from './run-loads.ts';
import { measureWorkers, type WorkersRound } from './worker-counts.ts';

export interface ScaleMeasured {
  readonly sizes: Grown<JobSizes, JobSizeRound>;
  readonly workers: Grown<Tried, WorkersRound>;
  readonly loads: Grown<Tried, RunLoadRound>;
}

/** One curve after the other, each on servers and processes of its own that are gone before the next. */
export const measureScale = async (extent: Extent): Promise<ScaleMeasured> => ({
  sizes: await measureJobSizes(extent),
  workers: await measureWorkers(extent),
  loads: await measureRunLoads(extent),
});
