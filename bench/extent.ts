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
}

export const fullExtent = {
  rounds: 5,
  hop: { messages: 10_000, slots: 64, slowMessages: 200, slowPerSecond: 50 },
  jobs: { settings: 'all', inFlight: 32, saturatedMs: 5_000, slowJobs: 40, slowPerSecond: 10, slots: 32 },
} as const;

export const shortExtent = {
  rounds: 1,
  hop: { messages: 200, slots: 64, slowMessages: 10, slowPerSecond: 50 },
  jobs: { settings: 'one', inFlight: 4, saturatedMs: 300, slowJobs: 3, slowPerSecond: 10, slots: 32 },
} as const;
