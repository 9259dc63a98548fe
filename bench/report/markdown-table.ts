import type { Table } from './part-report.ts';

/** A table of GitHub's Markdown: the first column is a name, the others stand to the right. */
export const markdownTable = ({ columns, rows }: Table): readonly string[] => {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = columns.map((_, at) => (at === 0 ? '---' : '---:'));
  return [line(columns), line(rule), ...rows.map(line)];
};
