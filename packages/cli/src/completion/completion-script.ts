import type { Command } from 'commander';
import { bashCompletion } from './bash-completion.ts';
import { commandWords } from './command-words.ts';
import { fishCompletion } from './fish-completion.ts';
import { zshCompletion } from './zsh-completion.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** What a shell reads to complete commands, options and what they choose from; files where nothing else is known. */
export const completionScript = (program: Command, shell: keyof typeof scripts): string =>
  scripts[shell](commandWords(program));
