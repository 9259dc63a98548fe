import type { Rule } from './rule.ts';
import { forbiddenWord } from './words.ts';

const roots = /^(packages|services|examples|test|tools|bench)\//;
const wanted = /^[a-z0-9]+(-[a-z0-9]+){0,2}(\.test|\.config|\.d)?\.(ts|mjs)$/;

/** Source files are named after their main export: kebab case, at most three words, none of them empty. */
export const fileNames: Rule = {
  name: 'file-names',
  unit: 'files',
  lookedMin: 10,
  check: (tree) => {
    const paths = tree.paths.filter((path) => roots.test(path) && /\.[cm]?[jt]sx?$/.test(path));
    const findings = paths.flatMap((path) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      const wrong = faultOf(name);
      return wrong === undefined ? [] : [{ path, line: 1, wrong }];
    });
    return { looked: paths.length, findings };
  },
};

const faultOf = (name: string): string | undefined => {
  if (!wanted.test(name))
    return `${name} is not kebab case of at most three words; name it after its main export`;
  const word = forbiddenWord(name.replace(/\..*$/, ''));
  return word && `the word "${word}" says nothing; name the file after what it exports`;
};
