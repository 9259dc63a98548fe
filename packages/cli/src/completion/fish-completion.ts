import type { CommandWords } from './command-words.ts';

/** For fish: a file `foldmesh.fish` in `~/.config/fish/completions`. */
export const fishCompletion = (words: readonly CommandWords[]): string =>
  `# fish completion of foldmesh\n${words.flatMap((one) => linesOf(one, words)).join('\n')}\n`;

const linesOf = (
  { path, below, choices, options }: CommandWords,
  all: readonly CommandWords[],
): readonly string[] => {
  const [first] = path.length === 1 ? path : [];
  // Below another command the same name is another command.
  const others = all.filter((one) => one.path.length === 1 && one.below.some(({ name }) => name === first));
  const names = [...below.map(({ name }) => name), ...others.flatMap((one) => one.path)];
  const when = path.map((word) => `__fish_seen_subcommand_from ${word}`);
  const until = names.length > 0 ? [`not __fish_seen_subcommand_from ${names.join(' ')}`] : [];
  const condition = [...when, ...until].join('; and ');
  const line = (rest: string): string =>
    `complete -c foldmesh${condition === '' ? '' : ` -n ${quoted(condition)}`} ${rest}`;
  return [
    ...below.map(({ name, summary }) => line(`-f -a ${name} -d ${quoted(summary)}`)),
    ...(choices.length > 0 ? [line(`-f -a ${quoted(choices.join(' '))}`)] : []),
    ...options.map(({ name, summary, takesValue, choices: values }) =>
      line(
        `-l ${name.replace(/^--/, '')}${takesValue ? ' -r' : ''}${values.length > 0 ? ` -f -a ${quoted(values.join(' '))}` : ''} -d ${quoted(summary)}`,
      ),
    ),
  ];
};

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
