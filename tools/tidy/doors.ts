import type { Finding, Rule } from './rule.ts';
import type { Tree } from './tree.ts';
import { type Workspace, workspacesOf } from './workspace.ts';

/** What a package offers in `exports` is there, and only through the two doors. */
export const doors: Rule = {
  name: 'doors',
  unit: 'doors',
  lookedMin: 10,
  check: (tree) => {
    const all = [...workspacesOf(tree).values()].map((workspace) => doorsOf(tree, workspace));
    return {
      looked: all.reduce((sum, { looked }) => sum + looked, 0),
      findings: all.flatMap(({ findings }) => findings),
    };
  },
};

const doorsOf = (
  tree: Tree,
  { folder }: Workspace,
): { readonly looked: number; readonly findings: Finding[] } => {
  const path = `${folder}/package.json`;
  const targets: [string, Record<string, string>][] = Object.entries(
    JSON.parse(tree.text(path)).exports ?? {},
  );
  const findings = targets.flatMap(([door, conditions]) => {
    const file = door === '.' ? 'index' : door.replace('./', '');
    const wrong = faultOf(tree, folder, door, file, conditions);
    return wrong === undefined ? [] : [{ path, line: 1, wrong }];
  });
  return { looked: targets.length, findings };
};

const faultOf = (
  tree: Tree,
  folder: string,
  door: string,
  file: string,
  conditions: Readonly<Record<string, string>>,
): string | undefined => {
  if (file !== 'index' && file !== 'internal')
    return `the door ${door}; a package has "." and, for tests, "./internal"`;
  const wanted = {
    '@foldmesh/source': `./src/${file}.ts`,
    types: `./dist/${file}.d.ts`,
    default: `./dist/${file}.js`,
  };
  if (JSON.stringify(conditions) !== JSON.stringify(wanted)) {
    return `the door ${door} is not ${JSON.stringify(wanted)}; give it these three conditions in this order`;
  }
  return tree.has(`${folder}/src/${file}.ts`)
    ? undefined
    : `src/${file}.ts is not there; write it or close the door ${door}`;
};
