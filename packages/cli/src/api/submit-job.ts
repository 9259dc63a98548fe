import type { Json } from '@foldmesh/envelope';
import { systemRandom } from '@foldmesh/system';
import { type ExitCode, exitCodes, refuse, type Shell } from '../command.ts';
import { readJobFile } from '../job-file.ts';
import type { ApiOptions } from './api-connection.ts';
import { withJobApi } from './job-problems.ts';
import { printJson } from './print.ts';
import { watchOn } from './watch-job.ts';

export interface SubmitOptions extends ApiOptions {
  readonly key?: string;
  readonly watch?: true;
  readonly input: Readonly<Record<string, Json>>;
}

/** How long a submit is sent again while the mesh is full or silent; its key makes one job of all of them. Milliseconds. */
const retryForMs = 3_000;
const keyBytes = 16;

/** Submits a job and says its id; a pipe gets the id alone. What is wrong with the job is named with file and line. */
export const submitJob = async (shell: Shell, file: string, options: SubmitOptions): Promise<ExitCode> => {
  const job = await readJobFile(shell, file, options.input);
  if ('problems' in job) return refuse(shell, job.problems);
  const idempotencyKey = options.key ?? systemRandom.hex(keyBytes);
  return withJobApi(shell, options, job, async (client, link) => {
    const accepted = await client.submit(job.parsed.value, { idempotencyKey, retryForMs });
    if (options.watch === true) {
      shell.err(`submitted ${accepted.id}\n`);
      return watchOn(shell, { client, link, job: accepted.id }, options);
    }
    if (options.json === true) printJson(shell, accepted);
    else shell.out(`${accepted.id}\n`);
    if (shell.isOutTerminal && options.json !== true)
      shell.err(`${accepted.status}; foldmesh watch ${accepted.id} shows it\n`);
    return exitCodes.done;
  });
};
