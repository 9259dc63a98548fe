/** Owns what it starts: nothing runs that nobody awaits. */
export interface Nursery {
  /** Starts work; its failure is the nursery's. */
  go(work: () => Promise<void>): void;
  /** How many are under way. */
  size(): number;
  /** Resolves when all that was started has ended; throws the first failure. */
  settled(): Promise<void>;
}

/** `onFailure` hears at once of the first work that threw: that is a defect, and the service must end. */
export const nursery = (onFailure: (error: unknown) => void): Nursery => {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  return {
    go(work) {
      // In a function of its own: what throws before its first await must not throw at whoever starts it.
      const run = (async () => work())()
        .catch((error: unknown) => {
          failures.push(error);
          if (failures.length === 1) onFailure(error);
        })
        .finally(() => running.delete(run));
      running.add(run);
    },
    size: () => running.size,
    async settled() {
      while (running.size > 0) await Promise.all(running);
      if (failures.length > 0) throw failures[0];
    },
  };
};
