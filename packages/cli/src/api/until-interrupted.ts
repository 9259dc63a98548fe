import { onSignals } from '@foldmesh/system';
import { type ExitCode, exitCodes, type Shell } from '../command.ts';

/**
 * Carries out what only looks. Ctrl-C ends the look and nothing else, says how to come back, and gives 130; so does a
 * reader that has gone away, in silence and with 0. A second Ctrl-C ends the process at once.
 */
export const untilInterrupted = async (
  shell: Shell,
  comeBack: () => string,
  look: (signal: AbortSignal) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const over = new AbortController();
  let wasInterrupted = false;
  const interrupt = (): void => {
    if (wasInterrupted) shell.exit(exitCodes.interrupted);
    wasInterrupted = true;
    over.abort();
  };
  await using _ = onSignals({ SIGINT: interrupt, SIGTERM: interrupt });
  const leave = (): void => over.abort();
  shell.outGone.addEventListener('abort', leave, { once: true });
  const code = await look(over.signal);
  shell.outGone.removeEventListener('abort', leave);
  if (!wasInterrupted) return shell.outGone.aborted ? exitCodes.done : code;
  shell.err(`${comeBack()}\n`);
  return exitCodes.interrupted;
};
