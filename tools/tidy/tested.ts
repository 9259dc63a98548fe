import { posix } from 'node:path';
import { Visitor } from 'oxc-parser';
import type { Rule } from './rule.ts';
import { isCode, isSource, isTest, type Tree } from './tree.ts';
import { ownerOf, packageOf, type Workspace, workspacesOf } from './workspace.ts';

/** Below the compositions, where everything can be tested without a process. */
const layerMax = 4;
const branchesMin = 3;

/**
 * A file that decides something is reached by a test of its own package, or by a contract or scenario that takes by name
 * what its package offers. Being loaded on behalf of another package does not count: everything is.
 */
export const tested: Rule = {
  name: 'tested',
  unit: 'files',
  lookedMin: 10,
  check: (tree) => {
    const workspaces = workspacesOf(tree);
    const reached = reachedByTests(tree, workspaces);
    const isBelow = (path: string): boolean => (ownerOf(path, workspaces)?.layer ?? Infinity) <= layerMax;
    const paths = tree.paths.filter((path) => isSource(path) && !path.includes('/testing/') && isBelow(path));
    const findings = paths.flatMap((path) => {
      const branches = reached.has(path) ? 0 : branchesOf(tree, path);
      if (branches < branchesMin) return [];
      const beside = posix.basename(path).replace('.ts', '.test.ts');
      return [
        {
          path,
          line: 1,
          wrong: `${branches} branches and no test that reaches it; write ${beside} beside it`,
        },
      ];
    });
    return { looked: paths.length, findings };
  },
};

const branchesOf = (tree: Tree, path: string): number => {
  let branches = 0;
  const count = (): void => {
    branches += 1;
  };
  const visitor = new Visitor({
    IfStatement: count,
    ConditionalExpression: count,
    SwitchCase: count,
    CatchClause: count,
  });
  visitor.visit(tree.module(path).program);
  return branches;
};

/** From what the tests name, along relative imports, which never leave a package. */
const reachedByTests = (tree: Tree, workspaces: ReadonlyMap<string, Workspace>): ReadonlySet<string> => {
  const reached = new Set<string>();
  const queue = tree.paths
    .filter((path) => isCode(path) && isTest(path))
    .flatMap((path) =>
      tree
        .module(path)
        .imports.flatMap(({ specifier, names }) =>
          specifier.startsWith('.')
            ? beside(path, specifier)
            : behindDoor(tree, specifier, names, workspaces),
        ),
    );
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (reached.has(path) || !tree.has(path)) continue;
    reached.add(path);
    // A door names everything its package has; only what a test takes through it by name is tested by it.
    if (/\/src\/(index|internal)\.ts$/.test(path)) continue;
    for (const { specifier } of tree.module(path).imports) {
      if (specifier.startsWith('.')) queue.push(beside(path, specifier));
    }
  }
  return reached;
};

const beside = (path: string, specifier: string): string => posix.join(posix.dirname(path), specifier);

/** The files from which a package's door passes on the given names. */
const behindDoor = (
  tree: Tree,
  specifier: string,
  names: readonly string[],
  workspaces: ReadonlyMap<string, Workspace>,
): string[] => {
  const target = packageOf(specifier);
  const folder = target && workspaces.get(target.name)?.folder;
  const door = `${folder}/src/${target?.door === 'internal' ? 'internal' : 'index'}.ts`;
  if (folder === undefined || !tree.has(door)) return [];
  return tree
    .module(door)
    .passedOn.filter(({ name }) => names.includes(name))
    .map((one) => beside(door, one.specifier));
};
