import type { Spread } from '../measure/spread.ts';

/** A measured ratio beside what it should come near; nothing is asserted of it. */
export interface Ratio {
  readonly name: string;
  readonly spread: Spread;
  /** The goal, as `≥ 0.5`; absent where it has none. */
  readonly goal?: string;
}

export interface Bars {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly { readonly name: string; readonly spread: Spread }[];
}

/** What one part has come to, as it is printed, drawn and kept. */
export interface PartReport {
  readonly part: string;
  readonly ratios: readonly Ratio[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What has to be known to read the numbers. */
  readonly notes: readonly string[];
  readonly charts: readonly Bars[];
  /** Every round of everything. */
  readonly rounds: unknown;
}

/** Three figures are more than any of this can be trusted for. */
export const figure = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(3))) : '–';

export const spreadText = ({ median, p25, p75 }: Spread): string =>
  `${figure(median)} (${figure(p25)}–${figure(p75)})`;
