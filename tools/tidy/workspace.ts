import type { Tree } from './tree.ts';

/** A workspace package: its folder, its name, and what it may import. */
export interface Workspace {
  readonly folder: string;
  readonly name: string;
  readonly dependencies: ReadonlySet<string>;
  readonly devDependencies: ReadonlySet<string>;
  /** Absent where `layers.json` does not know the folder. */
  readonly layer: number | undefined;
}

/** `layers.json`: the folders of each layer from the lowest up, and who alone may import what. */
export interface Layers {
  readonly layers: readonly (readonly string[])[];
  readonly exclusive: Readonly<Record<string, string>>;
}

const manifestPath = /^((?:packages|services|examples)\/[^/]+|test|bench|tools)\/package\.json$/;

export const layersOf = (tree: Tree): Layers => JSON.parse(tree.text('layers.json'));

/** Every workspace package of the tree, by its name. */
export const workspacesOf = (tree: Tree): ReadonlyMap<string, Workspace> => {
  const { layers } = layersOf(tree);
  const found = new Map<string, Workspace>();
  for (const path of tree.paths) {
    const folder = manifestPath.exec(path)?.[1];
    if (folder === undefined) continue;
    const manifest = JSON.parse(tree.text(path));
    const layer = layers.findIndex(
      (folders) => folders.includes(folder) || folders.includes(wildcard(folder)),
    );
    found.set(manifest.name, {
      folder,
      name: manifest.name,
      dependencies: new Set(Object.keys(manifest.dependencies ?? {})),
      devDependencies: new Set(Object.keys(manifest.devDependencies ?? {})),
      layer: layer < 0 ? undefined : layer,
    });
  }
  return found;
};

/** The package that a file belongs to. */
export const ownerOf = (path: string, workspaces: ReadonlyMap<string, Workspace>): Workspace | undefined =>
  [...workspaces.values()].find(({ folder }) => path.startsWith(`${folder}/`));

/** `@scope/name/door` as its package and its door; a relative or `node:` specifier has no package. */
export const packageOf = (
  specifier: string,
): { readonly name: string; readonly door: string } | undefined => {
  if (specifier.startsWith('.') || specifier.startsWith('/') || specifier.startsWith('node:'))
    return undefined;
  const parts = specifier.split('/');
  const length = specifier.startsWith('@') ? 2 : 1;
  return { name: parts.slice(0, length).join('/'), door: parts.slice(length).join('/') };
};

const wildcard = (folder: string): string => `${folder.split('/')[0]}/*`;
