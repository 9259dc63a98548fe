import type { Shell } from '../command.ts';

/** One document, as the last word of a command: indented for people, on one line for programs. */
export const printJson = (shell: Shell, value: unknown): void => {
  shell.out(`${JSON.stringify(value, null, shell.isOutTerminal ? 2 : 0)}\n`);
};

/** The time of day and date in UTC, as logs have it. Milliseconds UTC in. */
export const timeText = (at: number): string => new Date(at).toISOString().replace('T', ' ').replace('Z', '');

/** Columns as wide as their widest cell; the last is as long as it is. */
export const tableText = (rows: readonly (readonly string[])[]): string => {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
};
