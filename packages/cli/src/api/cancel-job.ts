import { type ExitCode, exitCodes, type Shell } from '../command.ts';
import { type ApiOptions, withApi } from './api-connection.ts';
import { printJson } from './print.ts';

export interface CancelOptions extends ApiOptions {
  readonly reason?: string;
}

/** Has a job stop; one that has ended stays as it is, and its status is said. */
export const cancelJob = (shell: Shell, job: string, options: CancelOptions): Promise<ExitCode> =>
  withApi(shell, options, job, async (client) => {
    const { reason = 'cancelled at the command line' } = options;
    const receipt = await client.cancel(job, { reason });
    if (options.json === true) printJson(shell, receipt);
    else shell.out(`${receipt.id} ${receipt.status}\n`);
    return exitCodes.done;
  });
