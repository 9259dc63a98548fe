import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { CommandError, type ExitCode, exitCodes, type Shell } from './command.ts';
import { addFileCommands } from './commands/file-commands.ts';
import { addJobCommands } from './commands/job-commands.ts';
import { addLocalCommands } from './commands/local-commands.ts';
import { addLookCommands } from './commands/look-commands.ts';
import { addMeshCommands } from './commands/mesh-commands.ts';

/** Every command there is. What carries one out is loaded when it is called. */
export const foldmeshProgram = (shell: Shell, ended: (code: ExitCode) => void): Command => {
  const program = new Command('foldmesh')
    .description('Runs agent jobs: here in one process, or on a mesh over its HTTP API.')
    .usage('<command> [options]')
    .exitOverride()
    .configureOutput({
      writeOut: shell.out,
      writeErr: shell.err,
      outputError: (text, write) => write(oneLine(text)),
      getOutHelpWidth: () => shell.screen.columns,
      getErrHelpWidth: () => shell.screen.columns,
    })
    .showHelpAfterError(false)
    .addHelpCommand(
      new Command('help').argument('[command]').summary('show the help of a command').helpGroup('Files:'),
    )
    .option('--version', 'print the version')
    .on('option:version', () => {
      shell.out(`foldmesh ${ownVersion()}\n`);
      throw new CommanderError(0, 'commander.version', '');
    })
    .addHelpText('after', epilogue);
  const commands = { program, shell, ended };
  addLocalCommands(commands);
  addJobCommands(commands);
  addLookCommands(commands);
  addMeshCommands(commands);
  addFileCommands(commands);
  return program;
};

/** Of the package that this file is of, built or not. */
const ownVersion = (): string => {
  const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(file) as { readonly version: string }).version; // every package has one
};

const epilogue = `
foldmesh <command> --help has examples. Exit codes: 0 done, 1 the job failed, 2 bad input, 3 not reachable, 4 not found,
5 refused, 130 interrupted.
`;

/** Parses the arguments and carries the command out. Bad use is one clear line on standard error and exit code 2. */
export const runProgram = async (shell: Shell, args: readonly string[]): Promise<ExitCode> => {
  let code: ExitCode = exitCodes.done;
  const program = foldmeshProgram(shell, (ended) => {
    code = ended;
  });
  try {
    if (args.length === 0) {
      program.outputHelp();
      return exitCodes.done;
    }
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.badInput;
    if (!(error instanceof CommandError)) throw error;
    shell.err(`${error.message}\n`);
    return error.code;
  }
};

/**
 * The parser says what is wrong and what may have been meant in two lines, the second in brackets; and of a choice that is
 * none, its own names for things.
 */
const oneLine = (text: string): string => {
  const [wrong = '', ...more] = text
    .trim()
    .replace(/^error: /, '')
    .split('\n');
  const meant = /^\(Did you mean (.*)\?\)$/.exec(more.join(' '))?.[1];
  const [, value, name, choices] =
    /'([^']*)' is invalid for argument '([^']*)'\. Allowed choices are (.*)\.$/.exec(wrong) ?? [];
  if (value !== undefined) return `there is no ${name} ${value}; there are ${choices}\n`;
  return `${wrong}${meant === undefined ? '' : `; did you mean ${meant}?`}\n`;
};
