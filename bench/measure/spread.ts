/** What several rounds of one measurement came to. One number never says how far it can be trusted. */
export interface Spread {
  readonly median: number;
  readonly p25: number;
  readonly p75: number;
  readonly rounds: readonly number[];
}

/** The value below which that share of all lies, between two neighbours where it falls between them. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (below === undefined || above === undefined) return Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
};

export const spreadOf = (rounds: readonly number[]): Spread => ({
  median: quantile(rounds, 0.5),
  p25: quantile(rounds, 0.25),
  p75: quantile(rounds, 0.75),
  rounds,
});

/** Round by round, because what disturbed a round disturbed both sides of it. */
export const ratioOf = (over: readonly number[], under: readonly number[]): Spread =>
  spreadOf(over.slice(0, under.length).map((value, round) => value / (under[round] ?? Number.NaN)));
