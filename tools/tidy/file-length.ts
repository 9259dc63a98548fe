import type { Finding, Rule } from './rule.ts';
import type { Tree } from './tree.ts';

const linesWanted = 300;
const linesMax = 400;
const roots = /^(packages|services|examples|test|tools|bench)\/.*\.(ts|mjs)$/;

/** A file of more than 300 lines is named, one of more than 400 fails. Functions are Biome's to measure. */
export const fileLength: Rule = {
  name: 'file-length',
  unit: 'files',
  lookedMin: 10,
  check: (tree) => {
    const paths = tree.paths.filter((path) => roots.test(path));
    const long = paths.flatMap((path) => longer(tree, path));
    return {
      looked: paths.length,
      findings: long.filter(({ line }) => line > linesMax),
      notes: long.filter(({ line }) => line <= linesMax),
    };
  },
};

const longer = (tree: Tree, path: string): Finding[] => {
  const line = tree.text(path).split('\n').length - 1;
  if (line <= linesWanted) return [];
  return [
    {
      path,
      line,
      wrong: `${line} lines, more than ${linesWanted}; give one of its exports a file of its own`,
    },
  ];
};
