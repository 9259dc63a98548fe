/** The server counts in nanoseconds. */
export const nanosOf = (ms: number): number => ms * 1_000_000;
