import { type ExitCode, exitCodes, type Shell } from '../command.ts';
import { type ApiOptions, withApi } from './api-connection.ts';
import { wholeRecord } from './job-record.ts';
import { printJson } from './print.ts';
import { recordText } from './record-text.ts';

/** Shows a job as it is now. */
export const getJob = (shell: Shell, job: string, options: ApiOptions): Promise<ExitCode> =>
  withApi(shell, options, job, async (client) => {
    const record = await wholeRecord(client, job);
    if (options.json === true) printJson(shell, record);
    else shell.out(recordText(record));
    return exitCodes.done;
  });
