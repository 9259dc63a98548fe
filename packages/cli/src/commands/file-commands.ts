import { Argument } from 'commander';
import { addedCommand, type Commands } from './added-command.ts';
import { withJson } from './command-options.ts';

const kinds = ['skill', 'tool', 'agent', 'pipeline', 'job'] as const;
const shells = ['bash', 'zsh', 'fish'] as const;

/** Files to begin with, and help for the shell. */
export const addFileCommands = (commands: Commands): void => {
  const { program, shell, ended } = commands;
  program.commandsGroup('Files:');
  const made = addedCommand(commands, {
    usage: 'new',
    summary: 'write a skill, tool, agent, pipeline or job to begin with, and a job that runs it',
    examples: ['foldmesh new skill words.count', 'foldmesh new job nightly'],
  });
  withJson(made, 'print the files that were written as JSON')
    .addArgument(new Argument('<kind>', 'what to write').choices(kinds))
    .argument('<name>', 'its name: letters, digits, _ and -, words joined by dots')
    .action(async (kind: (typeof kinds)[number], name: string, options: { readonly json?: true }) => {
      const { newFiles } = await import('../templates/new-files.ts');
      ended(await newFiles(shell, kind, name, options.json === true));
    });
  addedCommand(commands, {
    usage: 'completion',
    summary: 'print what completes commands and options in a shell',
    examples: ['foldmesh completion bash > foldmesh-completion.bash'],
  })
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .action(async (name: (typeof shells)[number]) => {
      const { completionScript } = await import('../completion/completion-script.ts');
      shell.out(completionScript(program, name));
      ended(0);
    });
};
