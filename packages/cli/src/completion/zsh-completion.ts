import type { CommandWords } from './command-words.ts';

/** For zsh: a file `_foldmesh` in a folder of `fpath`, or `source <(foldmesh completion zsh)` after `compinit`. */
export const zshCompletion = (words: readonly CommandWords[]): string => `#compdef foldmesh
_foldmesh() {
  local where="" word
  for word in \${words[2,CURRENT-1]}; do
    case "$where $word" in
${words
  .filter(({ path }) => path.length > 0)
  .map(({ path }) => `      " ${path.join(' ')}") where=" ${path.join(' ')}" ;;`)
  .join('\n')}
    esac
  done
  local -a offered
  case "$where" in
${words.map(caseOf).join('\n')}
  esac
  if [[ $PREFIX != -* ]]; then _files; fi
}
if [[ $funcstack[1] == _foldmesh ]]; then _foldmesh "$@"; else compdef _foldmesh foldmesh; fi
`;

const caseOf = ({ path, below, choices, options }: CommandWords): string => {
  const offers = [
    ...below.map(({ name, summary }) => described(name, summary)),
    ...choices.map((choice) => described(choice, '')),
  ];
  const begun = options.map(({ name, summary }) => described(name, summary));
  const where = path.map((word) => ` ${word}`).join('');
  const first =
    offers.length === 0 ? '' : `; offered=(${offers.join(' ')}); _describe foldmesh offered && return`;
  return `    "${where}") if [[ $PREFIX == -* ]]; then offered=(${begun.join(' ')}); _describe -o option offered${first === '' ? '' : `; else :${first}`}; fi ;;`;
};

/** A colon divides a word from what is said of it. */
const described = (name: string, summary: string): string =>
  `'${`${name}${summary === '' ? '' : `:${summary.replaceAll(':', '\\:')}`}`.replaceAll("'", `'\\''`)}'`;
