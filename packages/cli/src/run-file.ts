import type { Json } from '@foldmesh/envelope';
import { checkJob } from '@foldmesh/job';
import { problemText } from '@foldmesh/system';
import { type ExitCode, exitOfFault, refuse, type Shell } from './command.ts';
import { type JobFile, readJobFile } from './job-file.ts';
import { type LocalMesh, startLocalMesh } from './local-mesh.ts';
import { runJob } from './run-job.ts';
import { setUp } from './setup.ts';

export interface FileOptions {
  readonly config?: string;
  readonly input: Readonly<Record<string, Json>>;
}

/** Runs the job of a file to its end. */
export const runFile = (
  shell: Shell,
  file: string,
  options: FileOptions & { readonly json?: true; readonly answer?: string },
): Promise<ExitCode> =>
  withJob(shell, file, options, (local, job) =>
    runJob(shell, local, job.parsed.value, {
      json: options.json === true,
      answer: options.answer,
      hint: inputHint(options.input),
    }),
  );

/** What may be wrong with a job that says of its input that it is: an input of the command line reads as JSON. */
const inputHint = (input: FileOptions['input']): string | undefined => {
  const [name, value] = Object.entries(input).find(([, given]) => typeof given !== 'string') ?? [];
  if (name === undefined) return undefined;
  const json = JSON.stringify(value);
  return `--input ${name} was read as JSON, and is no text; for a text quote it twice: --input '${name}=${JSON.stringify(json)}'`;
};

/** Everything is checked before anything is dispatched; each problem names file and line. */
export const withJob = async (
  shell: Shell,
  file: string,
  options: FileOptions,
  use: (local: LocalMesh, job: JobFile) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const job = await readJobFile(shell, file, options.input);
  if ('problems' in job) return refuse(shell, job.problems);
  const setup = await setUp(shell, job.path, options.config);
  if ('problems' in setup) return refuse(shell, setup.problems);
  const local = await startLocalMesh(setup, shell.exit, shell.err);
  if (!local.ok) return refuse(shell, [local.fault.detail], exitOfFault(local.fault));
  const checked = checkJob({ spec: job.parsed.value }, local.value.catalogue);
  if (!('problems' in checked)) return use(local.value, job);
  await local.value.mesh.stop(0);
  return refuse(
    shell,
    checked.problems.map((problem) => problemText(job.name, job.parsed, problem)),
  );
};
