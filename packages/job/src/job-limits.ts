/** Bounds of a job, named so that a refusal can name them. Times are milliseconds. */
export const jobLimits = {
  tasksMax: 10_000,
  /** Tasks with all children of every `for_each`. */
  tasksWithChildrenMax: 50_000,
  dependenciesMax: 100_000,
  concurrencyMax: 1_000,
  /** Children of a `for_each` that may be under way when the plan does not say. */
  concurrencyDefault: 64,
  attemptsMax: 100,
  labelsMax: 32,
  wallMsDefault: 60 * 60 * 1000,
  wallMsMax: 30 * 24 * 60 * 60 * 1000,
  /** Unsettled assignments of one job: the queue of ready work is the job's state, not the bus. */
  openAssignmentsMax: 64,
  /** How long a stopping job waits for last words. */
  stoppingMs: 5_000,
  /** First wait before another attempt, doubled each time. */
  retryMs: 250,
  retryMsMax: 60_000,
  /** At or above this share of comparable pairs a job is not split. */
  densityThreshold: 0.9,
  /** The decision to split is taken again for every such part of the plan that has expanded: it costs more the longer the plan is. */
  decisionParts: 16,
  costMsDefault: 50,
  costMsAgentDefault: 5_000,
  /** Small siblings are bundled until they should take this long together. */
  bundleMs: 50,
  /** An unsplit job's assignment should not take longer, so that it shows progress and keeps its deadline. */
  sequenceMs: 60_000,
  /** What one assignment costs beside its work: bus, claim, append. */
  hopMs: 5,
  /** Durations of one name that are kept for its median. */
  observedMax: 15,
} as const;
