/** A system that runs jobs of ten tasks and a merge, started and ready. Disposing ends all of its processes. */
export interface JobMesh extends AsyncDisposable {
  /** The processes whose time is counted, by what they do; the client's own is this one. */
  readonly pids: Readonly<Record<string, number>>;
  /** Runs one job to its end; throws where its result is not that of ten tasks. */
  job(): Promise<void>;
  /** What its servers have been asked so far, where that is known. */
  counts?(): Promise<Readonly<Record<string, number>>>;
}

/** One of them before it is started. */
export interface JobContender {
  readonly name: string;
  /** What a task that was acknowledged survives. */
  readonly durability: string;
  /** How a client asks and how it hears of the end. */
  readonly door: string;
  /** Whether the short form has it, too. */
  readonly inShort?: boolean;
  readonly open: (slots: number, nodeArguments: readonly string[]) => Promise<JobMesh>;
}

export const tasksPerJob = 10;
