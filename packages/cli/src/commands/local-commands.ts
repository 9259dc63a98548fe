import type { Json } from '@foldmesh/envelope';
import type { Command } from 'commander';
import { parseWhole } from '../parse-option.ts';
import type { UpOptions } from '../up.ts';
import { addedCommand, type Commands } from './added-command.ts';
import { configOption, inputOption, withApiOptions, withJson } from './command-options.ts';

interface JobOptions {
  readonly json?: true;
  readonly config?: string;
  readonly input: Readonly<Record<string, Json>>;
}

/** What happens in this process: running a job to its end, serving a whole mesh, and planning. */
export const addLocalCommands = (commands: Commands): void => {
  commands.program.commandsGroup('In this process:');
  addRun(commands);
  addUp(commands);
  addPlan(commands);
};

const withJobOptions = (command: Command): Command =>
  command
    .addOption(configOption('foldmesh.yaml beside the job, then in the current folder'))
    .addOption(inputOption());

const addRun = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'run <file>',
    summary: 'run a job to its end, in this process',
    examples: [
      'foldmesh run job.yaml --input word=hello',
      'foldmesh run job.yaml --json | tail -1',
      'foldmesh run - < job.yaml',
    ],
  });
  withJson(withJobOptions(command), 'print the record of the job as the last line')
    .option('--answer <text>', 'answer every question to a person with this')
    .action(async (file: string, options: JobOptions & { readonly answer?: string }) => {
      const { runFile } = await import('../run-file.ts');
      ended(await runFile(shell, file, options));
    });
};

const addPlan = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'plan <file>',
    summary: 'say what a job would do, and draw its graph, without doing it',
    examples: ['foldmesh plan job.yaml', 'foldmesh plan job.yaml --remote'],
  });
  withApiOptions(withJson(withJobOptions(command), 'print the plan as JSON'))
    .option('--remote', 'ask the mesh, which knows what its pools offer')
    .action(async (file: string, options: JobOptions & { readonly remote?: true }) => {
      const { planFile } = await import('../plan-file.ts');
      ended(await planFile(shell, file, options));
    });
};

const addUp = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'up',
    summary: 'serve a whole mesh and its API in this process; on loopback, unless the configuration has keys',
    examples: [
      'foldmesh up --port 0',
      'foldmesh up --port 0 --config foldmesh.yaml',
      'foldmesh up --port 0 --nats nats://127.0.0.1:4222 --redis redis://127.0.0.1:6379',
    ],
  });
  withJson(command, 'print where it serves as JSON')
    .option('--port <port>', 'where to listen; 0 picks a free port', parseWhole('--port', 0, 65_535), 8080)
    .addOption(configOption('foldmesh.yaml in the current folder'))
    .option('--nats <url>', 'keep work and journal in this NATS server (with JetStream) instead of in memory')
    .option('--redis <url>', 'the dedup store that goes with --nats')
    .action(async (options: UpOptions) => {
      const { up } = await import('../up.ts');
      ended(await up(shell, options));
    });
};
