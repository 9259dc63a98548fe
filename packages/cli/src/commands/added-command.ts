import type { Command } from 'commander';
import type { ExitCode, Shell } from '../command.ts';

/** What the commands are added to. */
export interface Commands {
  readonly program: Command;
  readonly shell: Shell;
  /** Told what the command that was carried out ends with. */
  readonly ended: (code: ExitCode) => void;
}

export interface Described {
  /** With its arguments: `get <job>`. */
  readonly usage: string;
  readonly summary: string;
  /** Lines that a shell can carry out as they stand; `$JOB` is the id of a job. */
  readonly examples: readonly string[];
  /** Where it lies below another: `keys`. */
  readonly below?: Command;
}

/** One command with its help. What carries it out is loaded by its action: asking for help loads nothing else. */
export const addedCommand = (
  { program }: Commands,
  { usage, summary, examples, below = program }: Described,
): Command => {
  const title = examples.length === 1 ? 'Example' : 'Examples';
  return below
    .command(usage)
    .summary(summary)
    .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
    .addHelpText('after', `\n${title}:\n${examples.map((example) => `  ${example}\n`).join('')}`);
};
