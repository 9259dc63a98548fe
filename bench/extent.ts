/** How much is measured. The short form looks whether everything runs, and says nothing of speed. */
export interface Extent {
  readonly rounds: number;
  /** What every Node process of a measurement is told besides; `--cpu-prof` and its folder, where somebody wants to know. */
  readonly nodeArguments: readonly string[];
  /** Only contenders whose names hold this. */
  readonly match: string;
  readonly say: (line: string) => void;
  readonly hop: {
    readonly messages: number;
    readonly slots: number;
    readonly slowMessages: number;
    readonly slowPerSecond: number;
  };
  readonly jobs: {
    /** Every system in every setting, or each once. */
    readonly settings: 'all' | 'one';
    /** Jobs under way at once, and for how long. */
    readonly inFlight: number;
    readonly saturatedMs: number;
    readonly slowJobs: number;
    readonly slowPerSecond: number;
    readonly slots: number;
  };
  readonly scale: {
    /** Tasks of one job. */
    readonly sizes: readonly number[];
    readonly slots: number;
    readonly workers: readonly number[];
    /** Tasks that wait, shared by all workers. */
    readonly waits: number;
    readonly waitMs: number;
    /** Steps of one run, and how often each is loaded in a round. */
    readonly steps: readonly number[];
    readonly loads: number;
  };
  readonly layers: {
    /** For how long one thing is done again and again in a round. */
    readonly leastMs: number;
    /** Those whose start and weight are measured. */
    readonly services: readonly string[];
    /** Jobs that are left open in a round. */
    readonly openJobs: number;
  };
}

export const fullExtent = {
  rounds: 5,
  hop: { messages: 10_000, slots: 64, slowMessages: 200, slowPerSecond: 50 },
  jobs: { settings: 'all', inFlight: 32, saturatedMs: 5_000, slowJobs: 40, slowPerSecond: 10, slots: 32 },
  scale: {
    sizes: [10, 100, 1_000, 10_000],
    slots: 32,
    workers: [1, 2, 4],
    waits: 400,
    waitMs: 20,
    steps: [50, 100, 200, 500, 1_000],
    loads: 200,
  },
  layers: {
    leastMs: 250,
    services: ['manager', 'worker', 'tool-gateway', 'memory'],
    openJobs: 1_000,
  },
} as const;

export const shortExtent = {
  rounds: 1,
  hop: { messages: 200, slots: 64, slowMessages: 10, slowPerSecond: 50 },
  jobs: { settings: 'one', inFlight: 4, saturatedMs: 300, slowJobs: 3, slowPerSecond: 10, slots: 32 },
  scale: {
    sizes: [10, 100],
    slots: 32,
    workers: [1, 2],
    waits: 8,
    waitMs: 20,
    steps: [2, 5],
    loads: 5,
  },
  layers: { leastMs: 2, services: ['memory'], openJobs: 20 },
} as const;
