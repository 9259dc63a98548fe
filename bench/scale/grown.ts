import { ratioOf, type Spread, spreadOf } from '../measure/spread.ts';
import type { Line, Ratio } from '../report/part-report.ts';

/** How something grows: what was tried, and every round of each by its name. */
export interface Grown<C extends Tried, R> {
  readonly contenders: readonly C[];
  readonly rounds: ReadonlyMap<string, readonly R[]>;
}

export interface Tried {
  readonly name: string;
  /** How much of what grows. */
  readonly size: number;
}

export const spreadIn = <R>(
  { rounds }: Grown<Tried, R>,
  { name }: Tried,
  what: (round: R) => number,
): Spread => spreadOf((rounds.get(name) ?? []).map(what));

/** Of two sizes where both were measured. */
export const sizesRatio = <R>(
  name: string,
  goal: string,
  { contenders, rounds }: Grown<Tried, R>,
  [over, under]: readonly [number, number],
  what: (round: R) => number,
): readonly Ratio[] => {
  const found = [over, under].map((wanted) => contenders.find(({ size }) => size === wanted));
  const [high, low] = found.map((one) => one && rounds.get(one.name)?.map(what));
  return high && low ? [{ name, spread: ratioOf(high, low), goal }] : [];
};

export const curveOf = <R>(name: string, grown: Grown<Tried, R>, what: (round: R) => number): Line => ({
  name,
  points: grown.contenders.map((one) => ({ x: one.size, spread: spreadIn(grown, one, what) })),
});
