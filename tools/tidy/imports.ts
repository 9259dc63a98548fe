import { posix } from 'node:path';
import type { Import } from './module.ts';
import type { Rule } from './rule.ts';
import { isCode, isTest } from './tree.ts';
import { type Layers, layersOf, ownerOf, packageOf, type Workspace, workspacesOf } from './workspace.ts';

/** What the root lifts for every test file, so that no package has to name it. */
const liftedForTests = new Set(['vitest', 'fast-check']);

interface Place {
  readonly path: string;
  readonly owner: Workspace;
  readonly workspaces: ReadonlyMap<string, Workspace>;
  readonly exclusive: Layers['exclusive'];
}

/** Imports as they stand in the source: declared, of a lower layer, through a door, and only by who may. */
export const imports: Rule = {
  name: 'imports',
  unit: 'imports',
  lookedMin: 30,
  check: (tree) => {
    const workspaces = workspacesOf(tree);
    const { exclusive } = layersOf(tree);
    let looked = 0;
    const findings = tree.paths.filter(isCode).flatMap((path) => {
      const owner = ownerOf(path, workspaces);
      if (owner === undefined) return [];
      const all = tree.module(path).imports;
      looked += all.length;
      return all.flatMap((one) => {
        const wrong = faultOf(one, { path, owner, workspaces, exclusive });
        return wrong === undefined ? [] : [{ path, line: one.line, wrong }];
      });
    });
    return { looked, findings };
  },
};

const faultOf = ({ specifier }: Import, place: Place): string | undefined => {
  const target = packageOf(specifier);
  if (target === undefined) return specifier.startsWith('.') ? faultOfPath(specifier, place) : undefined;
  const only = place.exclusive[target.name];
  if (only !== undefined && only !== place.owner.folder) {
    return `only ${only} may import ${target.name}; ask for what you need through a port`;
  }
  const sibling = place.workspaces.get(target.name);
  return (
    (sibling && faultOfSibling(sibling, target.door, place)) ??
    (mayImport(target.name, place)
      ? undefined
      : `${target.name} is not declared; add it to ${place.owner.folder}/package.json`)
  );
};

const faultOfPath = (specifier: string, { path, owner }: Place): string | undefined =>
  posix.join(posix.dirname(path), specifier).startsWith(`${owner.folder}/`)
    ? undefined
    : `${specifier} reaches into another package; import the package by its name`;

const faultOfSibling = (sibling: Workspace, door: string, { path, owner }: Place): string | undefined => {
  if (sibling.name === owner.name) return `a package does not import itself by name; use a relative path`;
  if (owner.layer === undefined || sibling.layer === undefined || sibling.layer >= owner.layer) {
    return `layer ${owner.layer} imports ${sibling.name} of layer ${sibling.layer}; move what is shared down, or take it in through a port`;
  }
  if (door === 'internal' && !mayUseInnerDoors(path)) {
    return `${sibling.name}/internal is a door for tests; export what you need from its src/index.ts`;
  }
  return door === '' || door === 'internal'
    ? undefined
    : `${sibling.name}/${door} is no door; import ${sibling.name} itself`;
};

/** What stands in src/testing is made for tests, and reached by nobody else; bench measures what lies inside, and nobody imports it. */
const mayUseInnerDoors = (path: string): boolean =>
  isTest(path) || path.includes('/src/testing/') || path.startsWith('bench/');

const mayImport = (name: string, { path, owner }: Place): boolean =>
  owner.dependencies.has(name) ||
  ((isTest(path) || owner.folder === 'tools') && owner.devDependencies.has(name)) ||
  (isTest(path) && liftedForTests.has(name));
