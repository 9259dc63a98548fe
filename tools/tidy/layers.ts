import type { Finding, Rule } from './rule.ts';
import type { Tree } from './tree.ts';
import { type Workspace, workspacesOf } from './workspace.ts';

/** Every workspace package stands in `layers.json` and depends only on packages of strictly lower layers. */
export const layers: Rule = {
  name: 'layers',
  unit: 'dependencies',
  lookedMin: 10,
  check: (tree) => {
    const workspaces = workspacesOf(tree);
    const verdicts = [...workspaces.values()].map((workspace) => ofWorkspace(tree, workspace, workspaces));
    return {
      looked: verdicts.reduce((sum, { looked }) => sum + looked, 0),
      findings: verdicts.flatMap(({ findings }) => findings),
    };
  },
};

const ofWorkspace = (
  tree: Tree,
  workspace: Workspace,
  workspaces: ReadonlyMap<string, Workspace>,
): { readonly looked: number; readonly findings: readonly Finding[] } => {
  const path = `${workspace.folder}/package.json`;
  const { layer } = workspace;
  if (layer === undefined) {
    const wrong = `${workspace.folder} has no layer; name it in layers.json, above all that it depends on`;
    return { looked: 0, findings: [{ path, line: 1, wrong }] };
  }
  const siblings = [...workspace.dependencies, ...workspace.devDependencies].filter((name) =>
    workspaces.has(name),
  );
  const findings = siblings.flatMap((name) => {
    const other = workspaces.get(name)?.layer;
    if (other === undefined || other < layer) return [];
    const wrong = `layer ${layer} depends on ${name} of layer ${other}; move what is shared down, or take it in through a port`;
    return [{ path, line: lineWith(tree.text(path), `"${name}"`), wrong }];
  });
  return { looked: siblings.length, findings };
};

const lineWith = (text: string, part: string): number =>
  text.slice(0, Math.max(0, text.indexOf(part))).split('\n').length;
