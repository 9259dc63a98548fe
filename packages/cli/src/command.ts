import type { Fault } from '@foldmesh/envelope';
import type { Screen } from './screen.ts';

/** What a command works with: the process around it, as far as it may touch it. */
export interface Shell {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For people. */
  readonly screen: Screen;
  /** For programs and pipes: results. A terminal is steered by nothing that is in them, nor by what is in `err`. */
  readonly out: (text: string) => void;
  /** For what went wrong. */
  readonly err: (text: string) => void;
  /** Whether standard output is a terminal, and so read by a person. */
  readonly isOutTerminal: boolean;
  /** Standard input to its end; what comes after so many bytes is left unread. */
  readonly input: (bytesMax: number) => Promise<Uint8Array>;
  /** Whether somebody can be asked: standard input and standard error are terminals. */
  readonly canAsk: boolean;
  /** Aborts when the reader of standard output has gone away, like head. */
  readonly outGone: AbortSignal;
  /** A line that a person types; undefined where there is none, or once `signal` aborts. */
  readonly ask: (signal: AbortSignal) => Promise<string | undefined>;
  /** Ends the process at once. */
  readonly exit: (code: number) => never;
}

/** What a command ends with. The table in docs/command.md is this one. */
export const exitCodes = {
  done: 0,
  /** The job failed or was cancelled; of `doctor`, something is wrong; of `up`, a defect ended the mesh. */
  failed: 1,
  /** What was written cannot be: an option, a file, an answer. */
  badInput: 2,
  /** The mesh cannot be reached, or cannot do it now: the same again, later, may do. */
  unreachable: 3,
  notFound: 4,
  /** The mesh says no: without a key, to a repeat that is none, to what has been answered. */
  refused: 5,
  /** By Ctrl-C, as shells have it. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What a fault of this process's own mesh ends a command with: what may go better later is not the fault of what was written. */
export const exitOfFault = ({ kind, retry_after_ms }: Fault): ExitCode =>
  retry_after_ms !== undefined || kind === 'unavailable' || kind === 'throttled' || kind === 'unanswered'
    ? exitCodes.unreachable
    : exitCodes.badInput;

/** Ends a command with one sentence for each thing that is wrong, and never with a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: ExitCode;

  constructor(sentence: string, code: ExitCode = exitCodes.badInput) {
    super(sentence);
    this.code = code;
  }
}

const problemsShownMax = 30;

/** Says what is wrong, by default with what was written. */
export const refuse = (
  shell: Shell,
  problems: readonly string[],
  code: ExitCode = exitCodes.badInput,
): ExitCode => {
  for (const problem of problems.slice(0, problemsShownMax)) shell.err(`${problem}\n`);
  if (problems.length > problemsShownMax) shell.err(`… and ${problems.length - problemsShownMax} more\n`);
  return code;
};
