import type { Command } from 'commander';

/** What may follow one command: `path` is how it is called, below `foldmesh`. */
export interface CommandWords {
  readonly path: readonly string[];
  readonly summary: string;
  readonly below: readonly { readonly name: string; readonly summary: string }[];
  /** Choices of the first argument. */
  readonly choices: readonly string[];
  readonly options: readonly {
    readonly name: string;
    readonly summary: string;
    readonly takesValue: boolean;
    readonly choices: readonly string[];
  }[];
}

/** The words of a command and of everything below it, as the parser itself has them: nothing can be forgotten. */
export const commandWords = (command: Command, path: readonly string[] = []): readonly CommandWords[] => [
  {
    path,
    summary: command.summary(),
    below: command.commands.map((one) => ({ name: one.name(), summary: one.summary() })),
    choices: command.registeredArguments[0]?.argChoices ?? [],
    options: [
      ...command.options.map(({ long, description, required, argChoices }) => ({
        name: long ?? '',
        summary: description,
        takesValue: required,
        choices: argChoices ?? [],
      })),
      { name: '--help', summary: 'display help for command', takesValue: false, choices: [] },
    ],
  },
  ...command.commands.flatMap((one) => commandWords(one, [...path, one.name()])),
];
