import type { PlanPreview } from '@foldmesh/client';
import { dryRun } from '@foldmesh/job';
import { systemClock } from '@foldmesh/system';
import { type ExitCode, exitCodes, refuse, type Shell } from './command.ts';
import { itemCounts } from './item-counts.ts';
import { type JobFile, readJobFile } from './job-file.ts';
import { planText } from './plan-text.ts';
import { type FileOptions, withJob } from './run-file.ts';

interface PlanOptions extends FileOptions {
  readonly json?: true;
  readonly remote?: true;
  readonly url?: string;
  readonly apiKeyFile?: string;
}

/** Says what a job would do: with the definitions that are here, or with those of a mesh. */
export const planFile = (shell: Shell, file: string, options: PlanOptions): Promise<ExitCode> =>
  options.remote === true ? planThere(shell, file, options) : planHere(shell, file, options);

const planHere = (shell: Shell, file: string, options: PlanOptions): Promise<ExitCode> =>
  withJob(shell, file, options, async (local, job) => {
    const planned = dryRun(job.parsed.value, local.catalogue, systemClock.now());
    await local.mesh.stop(0);
    if (!('plan' in planned)) return exitCodes.badInput;
    print(shell, planned.plan, job, options);
    return exitCodes.done;
  });

const planThere = async (shell: Shell, file: string, options: PlanOptions): Promise<ExitCode> => {
  const job = await readJobFile(shell, file, options.input);
  if ('problems' in job) return refuse(shell, job.problems);
  const { withJobApi } = await import('./api/job-problems.ts');
  return withJobApi(shell, options, job, async (client) => {
    print(shell, await client.plan(job.parsed.value), job, options);
    return exitCodes.done;
  });
};

const print = (shell: Shell, plan: PlanPreview, { parsed }: JobFile, { json }: PlanOptions): void =>
  shell.out(
    json === true
      ? `${JSON.stringify(plan)}\n`
      : planText(plan, itemCounts(parsed.value), shell.screen.columns),
  );
