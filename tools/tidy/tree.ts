import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Module, moduleOf } from './module.ts';

/** The repository as the rules see it: every text file by its path from the root, with `/`. */
export interface Tree {
  readonly paths: readonly string[];
  has(path: string): boolean;
  /** The text of a file that is there. */
  text(path: string): string;
  /** The parsed file, parsed once for all rules. */
  module(path: string): Module;
}

const skippedFolders = new Set(['node_modules', 'dist', 'out', 'coverage', '.git', '.tools']);
const binaryEndings = /\.(png|jpg|gif|ico|svgz|woff2|gz|wasm|sqlite)$/;

export const treeOf = (files: Readonly<Record<string, string>>): Tree => {
  const modules = new Map<string, Module>();
  const text = (path: string): string => {
    const found = files[path];
    if (found === undefined) throw new Error(`tidy: ${path} is not in the tree`);
    return found;
  };
  return {
    paths: Object.keys(files).sort(),
    has: (path) => path in files,
    text,
    module: (path) => {
      const known = modules.get(path) ?? moduleOf(path, text(path));
      modules.set(path, known);
      return known;
    },
  };
};

/** Reads the tree below a folder, less what is installed or built. */
export const readTree = (root: string): Tree => {
  const files: Record<string, string> = {};
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !skippedFolders.has(entry.name)) walk(path);
      if (entry.isFile() && !binaryEndings.test(entry.name))
        files[path] = readFileSync(join(root, path), 'utf8');
    }
  };
  walk('');
  return treeOf(files);
};

export const isSource = (path: string): boolean =>
  /^(packages|services)\/[^/]+\/src\/.*\.ts$/.test(path) && !isTest(path);

export const isTest = (path: string): boolean => path.endsWith('.test.ts') || path.startsWith('test/');

/** Every file of code that a person wrote. */
export const isCode = (path: string): boolean => /\.(ts|mjs)$/.test(path) && !path.endsWith('.d.ts');
