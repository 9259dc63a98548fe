/** What a run of the tests came to; a broken file, suite or stray error counts as one failure each. */
export interface Summary {
  readonly passed: number;
  readonly failed: readonly Failure[];
  readonly skipped: readonly string[];
}

export interface Failure {
  readonly file: string;
  /** Absent where the file itself failed. */
  readonly test?: string;
}

/** The environment variable in which the runner tells the reporter where to write the summary. */
export const summaryVariable = 'FOLDMESH_TEST_SUMMARY';

/** The last two lines of `npm test`: what was skipped, then the counts alone. */
export const closingLines = ({ passed, failed, skipped }: Summary): readonly [string, string] => [
  `skipped: ${skipped.length === 0 ? 'none' : skipped.join('; ')}`,
  `${passed} passed, ${failed.length} failed`,
];

/** A run that counted nothing has not passed. */
export const exitCodeOf = ({ passed, failed }: Summary): number =>
  failed.length > 0 || passed === 0 ? 1 : 0;
