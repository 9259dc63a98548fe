/** Bounds of one agent's run, unless its definition says less or more. Times are milliseconds. */
export const runLimits = {
  turnsDefault: 20,
  turnsMax: 1_000,
  /** Tool calls of one turn that are under way at once. */
  parallelDefault: 8,
  parallelMax: 64,
  /** How long a group of tool calls may take; then those without an answer get one that says so. */
  groupMsDefault: 2 * 60_000,
  groupMsMax: 10 * 60_000,
  /** Turns in a row that may say nothing; with one more the run ends `empty`. */
  emptyTurnsMax: 2,
  /** Transitions that the state remembers, the last ones. */
  transitionsMax: 32,
  /** What every provider takes. */
  toolNameLengthMax: 64,
  instructionsLengthMax: 64 * 1024,
} as const;
