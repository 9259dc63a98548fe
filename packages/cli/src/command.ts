import type { Screen } from './progress.ts';

/** What a command works with: the process around it, as far as it may touch it. */
export interface Shell {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For people. */
  readonly screen: Screen;
  /** For programs and pipes: results. */
  readonly out: (text: string) => void;
  /** For what went wrong. */
  readonly err: (text: string) => void;
  /** A line that a person types; undefined where there is none, or once `signal` aborts. */
  readonly ask: (signal: AbortSignal) => Promise<string | undefined>;
  /** Ends the process at once. */
  readonly exit: (code: number) => never;
}

/** What a command ends with: 0 done, 1 the job failed or was cancelled, 2 bad use. */
export type ExitCode = 0 | 1 | 2;
