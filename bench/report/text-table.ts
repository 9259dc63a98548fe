import type { Table } from './part-report.ts';

/** Columns as wide as their widest cell; the first is a name, the others are numbers and stand to the right. */
export const textTable = ({ columns, rows }: Table): readonly string[] => {
  const widths = columns.map((column, at) =>
    Math.max(column.length, ...rows.map((row) => (row[at] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
};
