import { z } from 'zod';
import { jobLimits } from '../job-limits.ts';
import { density } from './density.ts';
import { aloneMs, type Load, splitMs } from './predict.ts';

/** Whether a job is split across workers, and the numbers that led there. Part of the job record. */
export const Decision = z.strictObject({
  split: z.boolean(),
  density: z.number(),
  threshold: z.number(),
  predicted_ms: z.number(),
  alone_ms: z.number(),
  workers: z.int(),
  reason: z.string(),
});
export type Decision = z.infer<typeof Decision>;

/** Splits only where it pays. The costs are the caller's, so that what was decided can be decided again from the journal. */
export const decideSplit = (load: Load, workers: number, wish: 'auto' | 'always' | 'never'): Decision => {
  const numbers = {
    density: rounded(density(load.graph, load.weights)),
    threshold: jobLimits.densityThreshold,
    alone_ms: rounded(aloneMs(load)),
    workers,
  };
  const split_ms = rounded(splitMs(load, workers));
  const decided = (split: boolean, reason: string): Decision => ({
    ...numbers,
    split,
    predicted_ms: split ? split_ms : numbers.alone_ms,
    reason,
  });
  if (wish !== 'auto') return decided(wish === 'always', `the job says split: ${wish}`);
  if (numbers.density >= numbers.threshold)
    return decided(
      false,
      `density ${numbers.density} is at or above ${numbers.threshold}: hardly any two tasks can run side by side`,
    );
  if (split_ms >= numbers.alone_ms)
    return decided(
      false,
      `split over ${workers} slots it would take ${split_ms} ms, one worker alone takes ${numbers.alone_ms} ms`,
    );
  return decided(
    true,
    `split over ${workers} slots it should take ${split_ms} ms, one worker alone would take ${numbers.alone_ms} ms`,
  );
};

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
