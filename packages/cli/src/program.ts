import type { Json } from '@foldmesh/envelope';
import { checkJob, dryRun } from '@foldmesh/job';
import { problemText, systemClock } from '@foldmesh/system';
import { Command, CommanderError } from 'commander';
import type { ExitCode, Shell } from './command.ts';
import { doctor } from './doctor.ts';
import { InputError, type JobFile, parseInput, readJobFile } from './job-file.ts';
import { type LocalMesh, startLocalMesh } from './local-mesh.ts';
import { planText } from './plan-text.ts';
import { runJob } from './run-job.ts';
import { setUp } from './setup.ts';
import { addUp } from './up.ts';

interface JobOptions {
  readonly json?: true;
  readonly config?: string;
  readonly input: Readonly<Record<string, Json>>;
}

/** Parses the arguments and carries the command out. Bad use is one clear line on standard error and exit code 2. */
export const runProgram = async (
  shell: Shell,
  args: readonly string[],
  nodeVersion: string,
): Promise<ExitCode> => {
  let code: ExitCode = 0;
  const program = new Command('foldmesh')
    .description('Runs agent jobs as folds over a journal.')
    .exitOverride()
    .configureOutput({ writeOut: shell.out, writeErr: shell.err })
    .showHelpAfterError(false);
  const jobCommand = (name: string, description: string, example: string): Command =>
    program
      .command(`${name} <job.yaml>`)
      .description(description)
      .option('--json', 'print JSON for programs')
      .option(
        '--config <file>',
        'configuration file (default: foldmesh.yaml beside the job, then in the current folder)',
      )
      .option(
        '--input <name=value>',
        "set one of the job's inputs; may be given several times",
        parseInput,
        {},
      )
      .addHelpText('after', `\nExample:\n  ${example}\n`);
  jobCommand(
    'run',
    'run a job to its end, in this process',
    'foldmesh run examples/licence-audit/job.yaml --input root=.',
  )
    .option('--answer <text>', 'answer every question to a person with this')
    .action(async (file: string, options: JobOptions & { readonly answer?: string }) => {
      const settings = { json: options.json === true, answer: options.answer };
      code = await withJob(shell, file, options, (local, job) =>
        runJob(shell, local, job.parsed.value, settings),
      );
    });
  jobCommand(
    'plan',
    'say what a job would do, without doing it',
    'foldmesh plan examples/licence-audit/job.yaml',
  ).action(async (file: string, options: JobOptions) => {
    code = await withJob(shell, file, options, async (local, job) => {
      const planned = dryRun(job.parsed.value, local.catalogue, systemClock.now());
      if ('plan' in planned)
        shell.out(options.json === true ? `${JSON.stringify(planned.plan)}\n` : planText(planned.plan));
      await local.mesh.stop(0);
      return 'plan' in planned ? 0 : 2;
    });
  });
  addUp(program, shell, (ended) => {
    code = ended;
  });
  program
    .command('doctor')
    .description('say what is in force, from where, and what is wrong')
    .option('--json', 'print JSON for programs')
    .option('--config <file>', 'configuration file')
    .addHelpText('after', '\nExample:\n  foldmesh doctor --config examples/licence-audit/foldmesh.yaml\n')
    .action(async (options: { readonly json?: true; readonly config?: string }) => {
      code = await doctor(shell, options.config, nodeVersion, options.json === true);
    });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof InputError)) throw error;
    shell.err(`${error.message}\n`);
    return 2;
  }
};

/** Everything is checked before anything is dispatched; each problem names file and line. */
const withJob = async (
  shell: Shell,
  file: string,
  options: JobOptions,
  use: (local: LocalMesh, job: JobFile) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const job = await readJobFile(shell.cwd, file, options.input);
  if ('problems' in job) return refuse(shell, job.problems);
  const setup = await setUp(shell, job.path, options.config);
  if ('problems' in setup) return refuse(shell, setup.problems);
  const local = await startLocalMesh(setup, shell.exit, shell.err);
  if (!local.ok) return refuse(shell, [local.fault.detail]);
  const checked = checkJob({ spec: job.parsed.value }, local.value.catalogue);
  if (!('problems' in checked)) return use(local.value, job);
  await local.value.mesh.stop(0);
  return refuse(
    shell,
    checked.problems.map((problem) => problemText(job.name, job.parsed, problem)),
  );
};

const problemsShownMax = 30;

const refuse = (shell: Shell, problems: readonly string[]): ExitCode => {
  for (const problem of problems.slice(0, problemsShownMax)) shell.err(`${problem}\n`);
  if (problems.length > problemsShownMax) shell.err(`… and ${problems.length - problemsShownMax} more\n`);
  return 2;
};
