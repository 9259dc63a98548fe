import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

interface BuildInfo {
  readonly fileNames: readonly string[];
  /** Numbers count `fileNames` from 1; a pair is a range with both ends. */
  readonly root: readonly (number | readonly [number, number])[];
}

/** The files that `tsc -b` took as its own, by their path from here, as its build info names them. */
export const typedFiles = (infoPaths: readonly string[]): ReadonlySet<string> =>
  new Set(infoPaths.filter((path) => existsSync(path)).flatMap((path) => rootsOf(path)));

const rootsOf = (path: string): string[] => {
  const info: BuildInfo = JSON.parse(readFileSync(path, 'utf8'));
  return info.root
    .flatMap((root) => {
      const [first, last] = typeof root === 'number' ? [root, root] : root;
      return info.fileNames.slice(first - 1, last);
    })
    .map((name) => relative('', resolve(dirname(path), name)));
};
