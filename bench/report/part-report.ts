import type { Spread } from '../measure/spread.ts';

/** A measured ratio beside what it should come near; nothing is asserted of it. */
export interface Ratio {
  readonly name: string;
  readonly spread: Spread;
  /** The goal, as `≥ 0.5`; absent where there is none. */
  readonly goal?: string;
}

/** The first column holds names, the others numbers. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** One bar for each name. */
export interface Bars {
  readonly kind: 'bars';
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly { readonly name: string; readonly spread: Spread }[];
}

export interface Axis {
  /** With its unit. */
  readonly label: string;
  readonly scale: 'linear' | 'log';
}

/** One line for each name, through its points from left to right. */
export interface Lines {
  readonly kind: 'lines';
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly Line[];
}

export interface Line {
  readonly name: string;
  /** What was not measured, but would be ideal. */
  readonly ideal?: boolean;
  readonly points: readonly { readonly x: number; readonly spread: Spread }[];
}

export type Chart = Bars | Lines;

/** What one part has come to, as it is printed, drawn and kept. */
export interface PartReport {
  readonly part: string;
  readonly ratios: readonly Ratio[];
  readonly tables: readonly Table[];
  /** What has to be known to read the numbers. */
  readonly notes: readonly string[];
  readonly charts: readonly Chart[];
  /** Every round of everything. */
  readonly rounds: unknown;
}

/** Three figures are more than any of this can be trusted for; thousands are told apart. */
export const figure = (value: number): string =>
  Number.isFinite(value) ? Number(value.toPrecision(3)).toLocaleString('en') : '–';

export const spreadText = ({ median, p25, p75 }: Spread): string =>
  Number.isFinite(median) ? `${figure(median)} (${figure(p25)}–${figure(p75)})` : '–';

/** Every median that a chart shows, by the name of what it is of. */
export const mediansOf = (chart: Chart): readonly { readonly name: string; readonly median: number }[] =>
  chart.kind === 'bars'
    ? chart.bars.map(({ name, spread }) => ({ name, median: spread.median }))
    : chart.lines.flatMap(({ name, points }) =>
        points.map(({ x, spread }) => ({ name: `${name} at ${x}`, median: spread.median })),
      );
