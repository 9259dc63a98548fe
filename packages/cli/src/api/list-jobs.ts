import type { JobFilter, JobSummary } from '@foldmesh/client';
import { JobStatus, WaitReason } from '@foldmesh/job';
import { CommandError, type ExitCode, exitCodes, type Shell } from '../command.ts';
import { waitText } from '../live/row-text.ts';
import { type ApiOptions, withApi } from './api-connection.ts';
import { printJson, tableText, timeText } from './print.ts';

export interface ListOptions extends ApiOptions {
  readonly status: readonly string[];
  readonly wait: readonly string[];
  readonly label: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly after?: string;
  readonly before?: string;
  readonly limit: number;
}

/** Lists jobs, the newest first, as many as were asked for over however many pages. */
export const listJobs = (shell: Shell, options: ListOptions): Promise<ExitCode> =>
  withApi(shell, options, undefined, async (client) => {
    const jobs: JobSummary[] = [];
    for await (const job of client.list(filterOf(options), { limit: Math.min(options.limit, pageMax) })) {
      jobs.push(job);
      if (jobs.length === options.limit) break;
    }
    if (options.json === true) {
      printJson(shell, { jobs });
      return exitCodes.done;
    }
    shell.out(
      tableText(
        jobs.map(({ id, name, status, created_at, wait, gaps }) => [
          id,
          status,
          timeText(created_at),
          name,
          wait === undefined ? gapsText(gaps) : waitText(wait, wait.since),
        ]),
      ),
    );
    if (jobs.length === 0) shell.err('no jobs\n');
    return exitCodes.done;
  });

/** Only who has completed without them has gaps. */
const gapsText = (gaps = 0): string => (gaps === 0 ? '' : `without ${gaps} of its tasks`);

const pageMax = 200;

const filterOf = ({ status, wait, label, name, after, before }: ListOptions): JobFilter => ({
  ...(status.length > 0 && { status: status.map(statusOf) }),
  ...(wait.length > 0 && { wait: wait.map(reasonOf) }),
  ...(Object.keys(label).length > 0 && { labels: label }),
  ...(name !== undefined && { name }),
  ...(after !== undefined && { created_after: after }),
  ...(before !== undefined && { created_before: before }),
});

const statusOf = (text: string): JobStatus => oneOf(text, JobStatus, '--status', 'status');
const reasonOf = (text: string): WaitReason => oneOf(text, WaitReason, '--wait', 'reason to wait');

const oneOf = <T extends string>(
  text: string,
  { options }: { readonly options: readonly T[] },
  option: string,
  what: string,
): T => {
  const known = options.find((one) => one === text);
  if (known !== undefined) return known;
  throw new CommandError(`${option} ${text}: there is no such ${what}; there are ${options.join(', ')}`);
};
