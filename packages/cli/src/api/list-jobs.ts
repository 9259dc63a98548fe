import type { JobFilter, JobSummary } from '@foldmesh/client';
import { JobStatus, type WaitReason } from '@foldmesh/job';
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
        jobs.map(({ id, name, status, created_at, wait }) => [
          id,
          status,
          timeText(created_at),
          name,
          wait === undefined ? '' : waitText(wait, wait.since),
        ]),
      ),
    );
    if (jobs.length === 0) shell.err('there is no such job\n');
    return exitCodes.done;
  });

const pageMax = 200;

const filterOf = ({ status, wait, label, name, after, before }: ListOptions): JobFilter => ({
  ...(status.length > 0 && { status: status.map(statusOf) }),
  ...(wait.length > 0 && { wait: wait as readonly WaitReason[] }), // the mesh knows which there are, and says so
  ...(Object.keys(label).length > 0 && { labels: label }),
  ...(name !== undefined && { name }),
  ...(after !== undefined && { created_after: after }),
  ...(before !== undefined && { created_before: before }),
});

const statusOf = (text: string): JobStatus => {
  const status = JobStatus.safeParse(text);
  if (status.success) return status.data;
  throw new CommandError(
    `--status ${text}: there is no such status; there are ${JobStatus.options.join(', ')}`,
  );
};
