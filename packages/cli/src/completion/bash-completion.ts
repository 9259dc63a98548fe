import type { CommandWords } from './command-words.ts';

/** For bash 4 or newer: `source <(foldmesh completion bash)`. */
export const bashCompletion = (words: readonly CommandWords[]): string => `# bash completion of foldmesh
_foldmesh() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
${words
  .filter(({ path }) => path.length > 0)
  .map(({ path }) => `      " ${path.join(' ')}") path=" ${path.join(' ')}" ;;`)
  .join('\n')}
    esac
  done
  case "$path $before" in
${words.flatMap(choiceCases).join('\n')}
  esac
  case "$path" in
${words.map(wordCase).join('\n')}
  esac
}
complete -o bashdefault -o default -F _foldmesh foldmesh
`;

const suggest = (words: readonly string[]): string =>
  `COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$current"))`;

const pathText = ({ path }: CommandWords): string => path.map((word) => ` ${word}`).join('');

/** After an option that takes a value its choices come, or files. */
const choiceCases = (words: CommandWords): readonly string[] =>
  words.options
    .filter(({ takesValue }) => takesValue)
    .map(
      ({ name, choices }) =>
        `    "${pathText(words)} ${name}") ${choices.length > 0 ? suggest(choices) : 'COMPREPLY=()'}; return ;;`,
    );

/** Options come where one is begun; else what may stand there, and files where that is nothing. */
const wordCase = (words: CommandWords): string => {
  const first = [...words.below.map(({ name }) => name), ...words.choices];
  const options = words.options.map(({ name }) => name);
  const others = first.length > 0 ? `else ${suggest(first)}; ` : '';
  return `    "${pathText(words)}") if [[ $current == -* ]]; then ${suggest(options)}; ${others}fi ;;`;
};
